"""A running site with the demo contest, a browser, and the people of the demo."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect
from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

from e2e.harness.browser import chromium
from e2e.harness.sessions import enter_as, know
from e2e.harness.sites import empty_site, shared_folder, template
from e2e.harness.windows import HAPPENS_WITHIN_S
from tools.site_process import SiteProcess

NewSite = Callable[..., SiteProcess]
"""`new_site(FATHOM_LEASE_MS="3000")`: the demo contest with these settings; `empty=True`: nothing is in it yet."""

Measured = Callable[[str, float, float], None]
"""`measured("known to all streams", 14.2, 21.0)`: seconds, and what they must not exceed."""

HERE = Path(__file__).parent
SCREEN: ViewportSize = {"width": 1280, "height": 900}

expect.set_options(timeout=HAPPENS_WITHIN_S * 1000)


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


class Dealing(LoadScopeScheduling):  # type: ignore[misc]
    """Who plays what, where several workers play.

    What people do on pages keeps a processor busy, so one worker does it all, one test after the other. The
    broken paths mostly wait for windows to pass: they go to whoever is free, one by one, or a module
    as a whole where it brings a site of its own.
    """

    def _split_scope(self, nodeid: str) -> str:
        module = nodeid.partition("::")[0]
        if "/faults/" not in module:
            return "pages"
        return module if _has_own_site(module) else nodeid


@cache
def _has_own_site(module: str) -> bool:
    return 'scope="module"' in (HERE.parent / module).read_text()


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Dealing:
    return Dealing(config, log)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [each for name in ("passed", "failed") for each in terminalreporter.stats.get(name, [])]
    lines = [value for report in reports for name, value in report.user_properties if name == "measured"]
    if lines:
        terminalreporter.section("measured in the browser")
        for line in sorted(set(lines)):
            terminalreporter.line(line)
