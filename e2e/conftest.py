"""A running site with the demo contest, a browser, and the people of the demo."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize

from e2e.harness.browser import chromium, sign_in
from tools.site_process import SiteProcess

SCREEN: ViewportSize = {"width": 1280, "height": 900}


@pytest.fixture(autouse=True)
def plain_static_files() -> None:
    """The site under test serves its collected files; overrides the unit tests' fixture."""


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SiteProcess]:
    """The demo contest, served with a real judge. Its database is private to this run."""
    process = SiteProcess(Path(tmp_path_factory.mktemp("site")), {"FATHOM_DEMO": "1", "FATHOM_JUDGE_SLOTS": "1"})
    process.manage("migrate", "--verbosity", "0")
    process.start()
    try:
        yield process
    finally:
        process.stop()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture
def person(site: SiteProcess, browser: Browser) -> Iterator[Callable[[str], Page]]:
    """`person("alice")`: a page signed in as her, in a browser profile of its own."""
    contexts: list[BrowserContext] = []

    def enter(username: str) -> Page:
        context = browser.new_context(viewport=SCREEN, base_url=site.url)
        contexts.append(context)
        return sign_in(context, site.url, username)

    yield enter
    for context in contexts:
        context.close()
