"""Connections that end before their time: reset, refused, closed as soon as they are open; and a slow path."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import Page, expect

from e2e.conftest import Measured
from e2e.faults.conftest import Enter
from e2e.harness.assertions import (
    assert_known_within,
    assert_live_soon,
    assert_live_within,
    assert_no_doubles,
    assert_no_loss,
    is_not_live,
)
from e2e.harness.fault_proxy import Door, FaultProxy, fault_proxy
from e2e.harness.jury import Jury
from e2e.harness.pages import OVERVIEW, PROBLEM
from e2e.harness.watch import Watch
from e2e.harness.windows import FIRST_WAIT_S, FOLLOW_S, LONGEST_BACKOFF_S, SLACK_S, Windows
from tools.site_process import SiteProcess

CLICKED_WITHIN_S = 2.0
"""A page that has come back by itself meanwhile has nothing left to click on."""
BREAKER_OPEN_S = 36.0
"""The longest time for which an open circuit lets nothing through, at the far end of its jitter."""
LOOPS_FOR_S = 10.0
PAUSES_WITHIN_S = 20.0
"""Six tries in a row, with their waits, are over by then."""


@pytest.mark.both_shapes
def test_when_all_connections_are_reset_at_one_instant_all_pages_are_live_again_at_once(
    enter: Enter, proxy: FaultProxy, jury: Jury, measured: Measured
) -> None:
    pages = [enter("alice", PROBLEM), enter("alice", OVERVIEW), enter("bob", OVERVIEW), enter("carol", PROBLEM)]
    for page in pages:
        assert_live_soon(page)
    sockets = len(proxy.sockets)
    cut_ms = {page: Watch(page).now_ms() for page in pages}
    assert proxy.reset_all() >= sockets >= 12, "not all connections were reset"
    jury.post_notice("Said while all were cut off")
    bound_s = FIRST_WAIT_S + FOLLOW_S
    took_s = []
    for page in pages:
        # The reset is on its way to the page: until it is there, all is called live as before.
        _until_it_says(page, "reconnecting", cut_ms[page])
        took_s.append(assert_live_within(page, bound_s, cut_ms[page]))
        assert_no_doubles(page)
    assert_no_loss(pages[1], jury)
    measured("live again after a reset of everything", max(took_s), bound_s + SLACK_S)


def test_refused_pages_say_so_back_off_pause_and_come_back_at_once_when_asked_and_by_themselves(
    enter: Enter, proxy: FaultProxy, jury: Jury, measured: Measured
) -> None:
    asking, waiting = pages = [enter("bob", OVERVIEW), enter("alice", OVERVIEW)]
    for page in pages:
        assert_live_soon(page)
    cut_ms = {page: Watch(page).now_ms() for page in pages}
    proxy.close_door(Door.REFUSE)
    assert proxy.is_refusing(), "the door is still open"
    assert proxy.reset_all() > 0
    jury.post_notice("Said to a closed door")
    for page in pages:
        _until_paused(page)
        assert_known_within(page, 0, cut_ms[page])
        known_ms = cut_ms[page] + (Watch(page).first_after("page", cut_ms[page], is_not_live) or 0)
        assert not Watch(page).was_live_ms("page", known_ms, Watch(page).now_ms())
    asking.locator(".badge summary").click()
    Watch(asking).wait_for_a_pause(CLICKED_WITHIN_S, Watch(waiting))
    waits_s = Watch(waiting).next_try_s()
    healed_ms = {page: Watch(page).now_ms() for page in pages}
    proxy.heal()
    asking.get_by_role("button", name="Try now").click()
    measured("live again after `try now`", assert_live_within(asking, 1.0, healed_ms[asking]), 1.0 + SLACK_S)
    expect(asking.get_by_role("button", name="Try now")).to_be_hidden()
    assert waits_s <= BREAKER_OPEN_S
    assert_live_within(waiting, waits_s + FIRST_WAIT_S + FOLLOW_S, healed_ms[waiting])
    for page in pages:
        assert_no_loss(page, jury)
        assert_no_doubles(page)


def test_a_server_that_accepts_and_closes_is_not_tried_more_and_more_often(
    enter: Enter, site: SiteProcess, proxy: FaultProxy
) -> None:
    """It closes Alice's connections when they have just been opened, and Bob's before a word is said."""
    with fault_proxy(("127.0.0.1", site.port)) as slamming:
        alice, bob = enter("alice", PROBLEM), enter("bob", PROBLEM, url=slamming.url)
        for page in (alice, bob):
            assert_live_soon(page)
        before = len(Watch(alice).handshakes_ms())
        proxy.faults.live_for_s = 0.2
        slamming.close_door(Door.SLAM)
        for each in (proxy, slamming):
            each.close_all()
        alice.wait_for_timeout(LOOPS_FOR_S * 1000)  # the fault itself
        streams = len(Watch(alice).names()) - 1
        tries_ms = Watch(alice).handshakes_ms()[before:]
        # With waits that double from 0.3 s there is room for some seven rounds; without, for more than twenty.
        assert streams <= len(tries_ms) <= 9 * streams, f"{len(tries_ms)} connections of {streams} streams: {tries_ms}"
        # The try that opened the page is one of the six outcomes that make a pattern.
        assert 5 <= slamming.counts.slammed <= 7 * streams, f"{slamming.counts.slammed} slammed"
        _until_paused(bob)
        # A try that is under way now would fail, and be followed by a longer pause than this one.
        Watch(bob).wait_for_a_pause(CLICKED_WITHIN_S)
        waits_s = Watch(bob).next_try_s()
        for each in (proxy, slamming):
            each.heal()
        for page, longest_s in ((alice, LONGEST_BACKOFF_S), (bob, waits_s + FIRST_WAIT_S)):
            assert_live_within(page, longest_s + FOLLOW_S)
            assert_no_doubles(page)


def test_a_slow_path_is_no_dead_path(enter: Enter, proxy: FaultProxy, jury: Jury, windows: Windows) -> None:
    page = enter("carol", PROBLEM)
    assert_live_soon(page)
    since_ms = Watch(page).now_ms()
    proxy.faults.delay_s = 0.3
    time.sleep(3 * windows.report_ms / 1000)  # the fault itself
    slowest_ms = page.evaluate("Math.max(...window.fathom.connections().map((each) => each.rttMs))")
    assert slowest_ms > 500, "nothing was slow"
    assert len(proxy.sockets) == len(Watch(page).names()) - 1
    lost = Watch(page).first_after("page", since_ms, lambda state: state not in ("live", "checking"))
    assert lost is None, "a slow path was given up"


def _until_it_says(page: Page, state: str, since_ms: float) -> None:
    watch = Watch(page)
    watch.wait_until(
        lambda: watch.first_after("page", since_ms, lambda said: said == state) is not None,
        SLACK_S,
        f"it says {state}",
        since_ms,
    )


def _until_paused(page: Page) -> None:
    watch = Watch(page)
    watch.wait_until(lambda: watch.state("page") == "paused", PAUSES_WITHIN_S, "the circuit opens")
    expect(page.locator(".badge-text")).to_contain_text("not live")
