"""A running site with the demo contest, a browser, and the people of the demo."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize

from e2e.harness.browser import chromium
from e2e.harness.sessions import enter_as, know
from e2e.harness.sites import empty_site, shared_folder, template
from tools.site_process import SiteProcess

NewSite = Callable[..., SiteProcess]
"""`new_site(FATHOM_LEASE_MS="3000")`: the demo contest with these settings; `empty=True`: nothing is in it yet."""

Measured = Callable[[str, float, float], None]
"""`measured("known to all streams", 14.2, 21.0)`: seconds, and what they must not exceed."""

HERE = Path(__file__).parent
SCREEN: ViewportSize = {"width": 1280, "height": 900}


@pytest.fixture(autouse=True)
def plain_static_files() -> None:
    """The site under test serves its collected files; overrides the unit tests' fixture."""


@pytest.fixture(scope="session")
def new_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NewSite]:
    """Makes sites with a database of their own, migrated but not started; all are ended with the run."""
    filled = template(shared_folder(tmp_path_factory.getbasetemp()) / "filled")
    know(filled.sessions)
    made: list[SiteProcess] = []

    def make(*, empty: bool = False, **environment: str) -> SiteProcess:
        folder = tmp_path_factory.mktemp("site") / "data"
        settings = {"FATHOM_DEMO": "1", "FATHOM_JUDGE_SLOTS": "1", **environment}
        process = empty_site(folder, settings) if empty else filled.copy(folder, settings)
        made.append(process)
        return process

    yield make
    for process in made:
        process.end()


@pytest.fixture(scope="session")
def site(new_site: NewSite) -> SiteProcess:
    """The demo contest, served with a real judge."""
    process = new_site()
    process.start()
    return process


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture
def person(site: SiteProcess, browser: Browser) -> Iterator[Callable[[str], Page]]:
    """`person("alice")`: an empty page, signed in as her, in a browser profile of its own."""
    contexts: list[BrowserContext] = []

    def enter(username: str) -> Page:
        context = browser.new_context(viewport=SCREEN, base_url=site.url)
        contexts.append(context)
        return enter_as(context, username)

    yield enter
    for context in contexts:
        context.close()


@pytest.fixture
def measured(request: pytest.FixtureRequest) -> Measured:
    """Keeps a number that the browser has shown, for the summary of the run; asserts its bound."""

    def keep(what: str, seconds: float, bound_s: float) -> None:
        line = f"{what}: {seconds:.2f} s (at most {bound_s:g} s)"
        request.node.user_properties.append(("measured", line))
        assert seconds <= bound_s, line

    return keep


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Who plays what, where several workers play (`--dist loadgroup`).

    What people do on pages keeps a processor busy, so one worker does it all, one test after the other. The
    broken paths mostly wait for windows to pass: they go to whoever is free, one by one, or a module
    as a whole where it brings a site of its own.
    """
    for item in items:
        if item.path.parent == HERE:
            item.add_marker(pytest.mark.xdist_group("pages"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [each for name in ("passed", "failed") for each in terminalreporter.stats.get(name, [])]
    lines = [value for report in reports for name, value in report.user_properties if name == "measured"]
    if lines:
        terminalreporter.section("measured in the browser")
        for line in sorted(set(lines)):
            terminalreporter.line(line)
