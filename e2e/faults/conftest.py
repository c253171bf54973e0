"""A site with shortened windows, a proxy that breaks the path to it, and people who come through that proxy."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from e2e.conftest import SCREEN, NewSite
from e2e.harness.fault_proxy import FaultProxy, fault_proxy
from e2e.harness.jury import Jury, Visitor
from e2e.harness.sessions import give_cookies, sign_in_as
from e2e.harness.watch import install_watch
from e2e.harness.windows import QUICK, QUICK_HANDSHAKE_MS, QUICK_HIDDEN_MS, SHORT, Windows
from tools.site_process import SiteProcess

Enter = Callable[..., Page]
"""`enter("alice", "/contests/demo/")`: a page of hers, opened through the proxy; without an address an empty one."""


@pytest.fixture(scope="session")
def short_site(new_site: NewSite) -> SiteProcess:
    """The demo contest with all windows a fifth of their defaults. Tests leave it running."""
    process = new_site(FATHOM_JUDGE_SLOTS="0", **SHORT.environment)
    process.start()
    return process


@pytest.fixture(scope="session")
def quick_site(new_site: NewSite) -> SiteProcess:
    """For tests marked `quick`: of silence and sleep, which would take minutes otherwise, and of whatever else may
    do with a third of a second for a probe (a test that nothing is torn down may not), and with a heartbeat
    that comes nearly as often as a report (a path that is dead in one direction may not)."""
    others = {"FATHOM_HANDSHAKE_MS": str(QUICK_HANDSHAKE_MS), "FATHOM_HIDDEN_MS": str(QUICK_HIDDEN_MS)}
    process = new_site(FATHOM_JUDGE_SLOTS="0", **QUICK.environment, **others)
    process.start()
    return process


@pytest.fixture
def windows(request: pytest.FixtureRequest) -> Windows:
    """Those of the site under test."""
    return QUICK if request.node.get_closest_marker("quick") else SHORT


@pytest.fixture
def site(request: pytest.FixtureRequest) -> SiteProcess:
    """The site under test; modules that hurt it bring one of their own."""
    name = "quick_site" if request.node.get_closest_marker("quick") else "short_site"
    site: SiteProcess = request.getfixturevalue(name)
    return site


@pytest.fixture
def proxy(site: SiteProcess) -> Iterator[FaultProxy]:
    with fault_proxy(("127.0.0.1", site.port)) as running:
        yield running


@pytest.fixture
def jury(site: SiteProcess) -> Jury:
    return Jury(site.url)


@pytest.fixture
def enter(site: SiteProcess, proxy: FaultProxy, browser: Browser) -> Iterator[Enter]:
    contexts: dict[str, BrowserContext] = {}

    def open_page(username: str, path: str = "", url: str = "") -> Page:
        if username not in contexts:
            contexts[username] = browser.new_context(viewport=SCREEN, base_url=url or proxy.url)
            install_watch(contexts[username])
            sign_in_as(contexts[username], username)
        page = contexts[username].new_page()
        if path:
            page.goto(path)
        return page

    yield open_page
    for context in contexts.values():
        context.close()


def hand_over(visitor: Visitor, context: BrowserContext, host: str = "127.0.0.1") -> None:
    """Signed in there, signed in here, in one session."""
    give_cookies(context, visitor.cookies, host)
