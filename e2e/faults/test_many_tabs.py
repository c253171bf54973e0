"""Twelve tabs of one contestant: hidden ones give back what nobody looks at, and nobody waits for another."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from e2e.conftest import Measured
from e2e.harness.assertions import assert_live_soon, assert_live_within, assert_no_doubles
from e2e.harness.bell import TAKEN_FOR_MS, claims, install_bell_spy, let_sound, notifications, sounds, wait_for_sounds
from e2e.harness.fault_proxy import FaultProxy
from e2e.harness.jury import Jury, read_everything
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
HIDDEN_TIMERS_MS = 1_000
"""Timers of hidden pages run once a second."""


@pytest.fixture
def window(site: SiteProcess, browser: Browser, tmp_path: Path) -> Iterator[BrowserContext]:
    """A browser of Alice's with real tabs."""
    with desktop_chromium(browser, tmp_path) as context:
        install_watch(context)
        install_bell_spy(context)
        sign_in_as(context, "alice")
        yield context


def test_twelve_tabs_open_alike_keep_sixteen_sockets_and_alert_in_each_with_one_sound_until_it_is_confirmed_once(
    window: BrowserContext, site: SiteProcess, proxy: FaultProxy, jury: Jury, measured: Measured
) -> None:
    read_everything(site.url, "alice")
    opened = [_open(window, proxy) for _ in range(TABS)]
    pages = [page for page, _ in opened]
    times_s = [took_s for _, took_s in opened]
    hidden = [page for page in pages if page.evaluate("document.visibilityState") == "hidden"]
    assert len(hidden) == TABS - 1, "the tabs are not behind one another"
    last = pages[-1]
    assert STREAMS + TABS - 1 <= MOST_SOCKETS
    Watch(last).wait_until(
        lambda: len(proxy.sockets) == STREAMS + TABS - 1,
        HAPPENS_WITHIN_S,
        "hidden ones keep their announcements",
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
    wait_for_sounds(1, *pages)
    assert notifications(*pages) == [], "the tab in front was looked at"

    window.new_page().bring_to_front()
    Watch(last).wait_until(
        lambda: all(page.evaluate("document.visibilityState") == "hidden" for page in pages),
        HAPPENS_WITHIN_S,
        "all are hidden",
    )
    claimed = sum(claims(page) for page in pages)
    for count in (2, 3):
        jury.post_notice(f"Said to twelve hidden tabs, {count}")
        wait_for_sounds(count, *pages)
        assert len(notifications(*pages)) == count - 1
    assert sum(claims(page) for page in pages) > claimed + 2, "only one tab wanted to sound each time"
    last.wait_for_timeout(TAKEN_FOR_MS + HIDDEN_TIMERS_MS)
    assert (len(sounds(*pages)), len(notifications(*pages))) == (3, 2)


def test_a_tab_that_comes_to_the_front_again_has_all_its_streams_at_once(
    window: BrowserContext, proxy: FaultProxy, measured: Measured
) -> None:
    first, _ = _open(window, proxy)
    _open(window, proxy)
    watch = Watch(first)
    watch.wait_until(lambda: len(proxy.sockets) == STREAMS + 1, QUICK_HIDDEN_MS / 1000 + 5, "the first one gives back")
    assert watch.is_hidden()
    first.bring_to_front()
    shown_ms = watch.now_ms()
    measured("a tab that comes to the front is live", assert_live_within(first, 1, shown_ms), 1 + SLACK_S)
    assert len([path for path in proxy.sockets if path.endswith("/selftest")]) >= 1


def _open(window: BrowserContext, proxy: FaultProxy) -> tuple[Page, float]:
    """A new tab in front of all others, and the seconds of its own after which it was live."""
    page = window.new_page()
    page.bring_to_front()
    page.goto(proxy.url + PROBLEM)
    assert_live_soon(page)
    let_sound(page)
    watch = Watch(page)
    return page, watch.own_s(0, max(change.at_ms for change in watch.changes()) / 1000)
