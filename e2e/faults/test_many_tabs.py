"""Twelve tabs of one contestant: hidden ones give back what nobody looks at, and nobody waits for another."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from e2e.conftest import Measured
from e2e.harness.assertions import assert_live_soon, assert_live_within, assert_no_doubles
from e2e.harness.fault_proxy import FaultProxy
from e2e.harness.jury import Jury
from e2e.harness.lifecycle import desktop_chromium
from e2e.harness.pages import PROBLEM
from e2e.harness.sessions import sign_in_as
from e2e.harness.watch import Watch, install_watch
from e2e.harness.windows import HAPPENS_WITHIN_S, QUICK_HIDDEN_MS, SLACK_S
from tools.site_process import SiteProcess

pytestmark = pytest.mark.quick

TABS = 12
MOST_SOCKETS = 16
STREAMS = 4
"""Of a problem's page."""


@pytest.fixture
def window(site: SiteProcess, browser: Browser, tmp_path: Path) -> Iterator[BrowserContext]:
    """A browser of Alice's with real tabs."""
    with desktop_chromium(browser, tmp_path) as context:
        install_watch(context)
        sign_in_as(context, "alice")
        yield context


def test_twelve_tabs_open_alike_keep_sixteen_sockets_and_show_one_alert_each_until_it_is_confirmed_once(
    window: BrowserContext, proxy: FaultProxy, jury: Jury, measured: Measured
) -> None:
    opened = [_open(window, proxy) for _ in range(TABS)]
    pages = [page for page, _ in opened]
    times_s = [took_s for _, took_s in opened]
    hidden = [page for page in pages if page.evaluate("document.visibilityState") == "hidden"]
    assert len(hidden) == TABS - 1, "the tabs are not behind one another"
    last = pages[-1]
    assert STREAMS + TABS - 1 <= MOST_SOCKETS
    within_s = QUICK_HIDDEN_MS / 1000 + HAPPENS_WITHIN_S
    Watch(last).wait_until(
        lambda: len(proxy.sockets) == STREAMS + TABS - 1, within_s, "hidden ones keep their announcements"
    )
    assert sum(path.endswith("/announcements") for path in proxy.sockets) == TABS
    measured("the twelfth tab is live", times_s[-1], 2 * times_s[0] + SLACK_S)

    notice = jury.post_notice("Said to twelve tabs", requires_ack=True)
    alert = f"#alerts [data-notice-id='{notice}']"
    for page in pages:
        expect(page.locator(alert)).to_have_count(1)
    last.locator(alert).get_by_role("button", name="Confirm").click()
    for page in pages:
        expect(page.locator(alert)).to_have_count(0)
        assert_no_doubles(page)
    assert jury.ledger(notice)["counts"]["confirmed"] == 1


def test_a_tab_that_comes_to_the_front_again_has_all_its_streams_at_once(
    window: BrowserContext, proxy: FaultProxy, measured: Measured
) -> None:
    first, _ = _open(window, proxy)
    _open(window, proxy)
    watch = Watch(first)
    watch.wait_until(lambda: len(proxy.sockets) == STREAMS + 1, QUICK_HIDDEN_MS / 1000 + 5, "the first one gives back")
    assert [event for event in watch.events() if event in ("hidden", "visible")][-1] == "hidden"
    first.bring_to_front()
    shown_ms = watch.now_ms()
    measured("a tab that comes to the front is live", assert_live_within(first, 1, shown_ms), 1 + SLACK_S)
    assert len([path for path in proxy.sockets if path.endswith("/selftest")]) >= 1


def _open(window: BrowserContext, proxy: FaultProxy) -> tuple[Page, float]:
    """A new tab in front of all others, and the seconds after which it was live."""
    page = window.new_page()
    page.bring_to_front()
    page.goto(proxy.url + PROBLEM)
    assert_live_soon(page)
    return page, max(change.at_ms for change in Watch(page).changes()) / 1000
