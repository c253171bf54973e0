"""Networks that let no WebSocket pass: the page runs over its event stream, and goes back when it can."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from e2e.conftest import Measured, NewSite
from e2e.faults.conftest import Enter
from e2e.harness.assertions import assert_live_within, assert_no_doubles, assert_no_loss, is_not_live
from e2e.harness.fault_proxy import FaultProxy, Upgrades
from e2e.harness.jury import Jury
from e2e.harness.pages import OVERVIEW, PROBLEM
from e2e.harness.watch import Watch, transports
from e2e.harness.windows import DEFAULTS, HAPPENS_WITHIN_S, ON_ITS_FALLBACK_WITHIN_S, SLACK_S
from tools.site_process import SiteProcess

TRIAL_S = 4.0
BACK_WITHIN_S = DEFAULTS.scout_s + TRIAL_S + 3.0
"""A trial that hangs to its end, the wait for the next one, and the streams one after the other."""
FELT_WITHIN_MS = 500
"""By then a page whose stream was taken over by the trial would have said so."""


@pytest.fixture(scope="module")
def site(new_site: NewSite) -> SiteProcess:
    """All windows as they are by default; only a WebSocket is tried more often than every minute."""
    process = new_site(FATHOM_JUDGE_SLOTS="0", FATHOM_TRIAL_MS=str(int(TRIAL_S * 1000)))
    process.start()
    return process


def assert_asks(page: Page, text: str, jury: Jury) -> None:
    """A question gets its number, so the command has reached the site and its answer the page."""
    reply = page.evaluate("(text) => window.fathom.command('announcements', 'ask', { problem: null, text })", text)
    assert reply["ok"], reply


@pytest.mark.parametrize(
    "upgrades", [pytest.param(Upgrades.REFUSE, marks=pytest.mark.both_shapes), Upgrades.STRIP, Upgrades.HANG]
)
def test_where_no_websocket_passes_the_page_is_live_all_the_same_and_goes_back_when_one_does(
    enter: Enter, proxy: FaultProxy, jury: Jury, measured: Measured, upgrades: Upgrades
) -> None:
    page = enter("alice")
    proxy.faults.upgrades = upgrades
    page.goto(PROBLEM if upgrades is Upgrades.HANG else OVERVIEW)
    took_s = assert_live_within(page, ON_ITS_FALLBACK_WITHIN_S)
    measured(f"live over the fallback, upgrades: {upgrades.value}", took_s, ON_ITS_FALLBACK_WITHIN_S)
    assert proxy.counts.blocked >= 2, "no handshake was kept from passing"
    assert not proxy.sockets
    assert transports(page) == {"events"}
    Watch(page).wait_until(lambda: len(proxy.event_streams) == 1, HAPPENS_WITHIN_S, "one stream carries all")
    expect(page.locator(".badge-text")).to_contain_text("fallback")

    assert_asks(page, f"Does this arrive? ({upgrades.value})", jury)
    page.goto(OVERVIEW)
    assert_live_within(page, ON_ITS_FALLBACK_WITHIN_S)
    jury.post_notice(f"Said over the fallback: {upgrades.value}")
    assert_no_loss(page, jury)

    tried = proxy.counts.blocked
    watch = Watch(page)
    before_ms = watch.now_ms()
    within_s = TRIAL_S + DEFAULTS.scout_s + 3 * SLACK_S  # one may hang just now
    watch.wait_until(lambda: proxy.counts.blocked > tried, within_s, "a WebSocket is tried")
    page.wait_for_timeout(FELT_WITHIN_MS)
    assert watch.first_after("page", before_ms, is_not_live) is None, "the trial was felt"

    proxy.faults.upgrades = Upgrades.PASS
    watch.wait_until(lambda: transports(page) == {"websocket"}, BACK_WITHIN_S + SLACK_S, "back on WebSockets")
    jury.post_notice(f"Said after the way back: {upgrades.value}")
    assert_live_within(page, 1.0)
    assert_no_loss(page, jury)
    assert_no_doubles(page)
    watch.wait_until(lambda: not proxy.event_streams, HAPPENS_WITHIN_S, "the event stream is given up")
    expect(page.locator(".badge-text")).to_have_text("live")


def test_own_time_counts_over_the_fallback(enter: Enter, proxy: FaultProxy, jury: Jury) -> None:
    page = enter("bob")
    proxy.faults.upgrades = Upgrades.REFUSE
    page.goto(PROBLEM)
    assert_live_within(page, ON_ITS_FALLBACK_WITHIN_S)
    assert transports(page) == {"events"}
    counted = page.locator("#own-time[data-accumulated-ms]")
    before_ms = int(counted.get_attribute("data-accumulated-ms") or 0)
    Watch(page).wait_until(
        lambda: int(counted.get_attribute("data-accumulated-ms") or 0) >= before_ms + 8_000, 25.0, "time is counted"
    )


def test_a_cut_event_stream_is_taken_up_again_without_loss(enter: Enter, proxy: FaultProxy, jury: Jury) -> None:
    page = enter("carol")
    proxy.faults.upgrades = Upgrades.REFUSE
    page.goto(OVERVIEW)
    assert_live_within(page, ON_ITS_FALLBACK_WITHIN_S)
    cut_ms = Watch(page).now_ms()
    assert proxy.reset_all() > 0
    jury.post_notice("Said while the event stream was cut")
    watch = Watch(page)
    watch.wait_until(
        lambda: watch.first_after("page", cut_ms, is_not_live) is not None, 3.0, "the page notices the cut", cut_ms
    )
    assert_live_within(page, 3.0, cut_ms)
    assert transports(page) == {"events"}
    assert_no_loss(page, jury)
    assert_no_doubles(page)
