"""A path that dies without a word: no FIN, no RST, no event. The page has to find out by itself."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import Page

from e2e.conftest import Measured
from e2e.faults.conftest import Enter
from e2e.harness.assertions import (
    assert_all_time_counted,
    assert_honest_badge,
    assert_known_within,
    assert_live_soon,
    assert_live_within,
    assert_no_doubles,
    assert_no_loss,
    notices_on,
)
from e2e.harness.carrying import Direction
from e2e.harness.fault_proxy import FaultProxy
from e2e.harness.frames import FrameTap
from e2e.harness.jury import Jury
from e2e.harness.pages import OVERVIEW, PROBLEM
from e2e.harness.watch import Watch
from e2e.harness.windows import HAPPENS_WITHIN_S, SLACK_S, Windows

AFTER_AN_EVENT_S = 2.0


@pytest.mark.both_shapes
def test_a_dead_path_is_known_to_all_streams_in_time_and_nothing_is_lost_over_it(
    enter: Enter, proxy: FaultProxy, jury: Jury, windows: Windows, measured: Measured
) -> None:
    problem, overview = enter("alice", PROBLEM), enter("bob", OVERVIEW)
    for page in (problem, overview):
        assert_live_soon(page)
    cut_ms = {page: Watch(page).now_ms() for page in (problem, overview)}
    proxy.black_hole()
    notice = jury.post_notice("Said into the black hole")
    known_s = [assert_known_within(page, windows.known_within_s, since_ms) for page, since_ms in cut_ms.items()]
    assert proxy.swallowed > 0, "nothing was swallowed: there was no fault"
    assert notice not in notices_on(overview), "it came through: there was no fault"

    healed_ms = {page: Watch(page).now_ms() for page in cut_ms}
    proxy.heal()
    for page in cut_ms:
        assert_live_within(page, windows.back_within_s, healed_ms[page])
        assert_honest_badge(page, cut_ms=cut_ms[page], healed_ms=healed_ms[page], blind_s=windows.known_within_s)
        assert_no_doubles(page)
    assert_no_loss(overview, jury)
    measured("short windows: a dead path is known to all streams", max(known_s), windows.known_within_s + SLACK_S)


@pytest.mark.parametrize("direction", Direction)
def test_a_path_that_is_dead_in_one_direction_only_is_dead(
    enter: Enter, proxy: FaultProxy, jury: Jury, windows: Windows, direction: Direction
) -> None:
    page = enter("alice", OVERVIEW)
    assert_live_soon(page)
    cut_ms = Watch(page).now_ms()
    proxy.black_hole(direction)
    jury.post_notice(f"Said while nothing went {direction.value}")
    # One stream whose last frames were still on their way may have heard the server once more.
    assert_known_within(page, windows.known_within_s + windows.report_ms / 1000, cut_ms)
    assert proxy.counts.swallowed[direction] > 0, "nothing was swallowed: there was no fault"
    healed_ms = Watch(page).now_ms()
    proxy.heal()
    assert_live_within(page, windows.back_within_s, healed_ms)
    assert_no_loss(page, jury)
    assert_no_doubles(page)


@pytest.mark.quick
@pytest.mark.parametrize("event", ["online", "visibilitychange"])
def test_after_an_event_of_the_page_it_is_live_within_two_seconds(
    enter: Enter, proxy: FaultProxy, jury: Jury, windows: Windows, measured: Measured, event: str
) -> None:
    page = enter("alice", OVERVIEW)
    assert_live_soon(page)
    cut_ms = Watch(page).now_ms()
    proxy.black_hole()
    assert_known_within(page, windows.known_within_s, cut_ms)
    jury.post_notice(f"Said before {event}")
    _until_it_waits_long(page)
    proxy.heal()
    healed_ms = Watch(page).now_ms()
    _tell(page, event)
    took_s = assert_live_within(page, AFTER_AN_EVENT_S, healed_ms)
    measured(f"live again after `{event}`", took_s, AFTER_AN_EVENT_S)
    assert_no_loss(page, jury)
    assert_no_doubles(page)


def test_an_outage_shorter_than_a_reply_costs_no_counted_time(
    enter: Enter, proxy: FaultProxy, windows: Windows
) -> None:
    outage_s = 0.8 * windows.report_ms / 1000
    page = enter("carol")
    tap = FrameTap(page)
    page.goto(OVERVIEW)
    watch = Watch(page)
    watch.wait_until(lambda: len(tap.settled()) > 1, HAPPENS_WITHIN_S, "some time is counted")
    answered = len(tap.settled())
    watch.wait_until(lambda: len(tap.settled()) > answered, HAPPENS_WITHIN_S, "another report is answered")
    page.wait_for_timeout(windows.report_ms / 2)  # so that the next one falls into the outage
    before, cut_ms, cut_s = len(tap.settled()) - 1, watch.now_ms(), time.monotonic()
    proxy.black_hole()
    watch.wait_until(lambda: proxy.swallowed > 0, outage_s, "something is lost: there is a fault")
    time.sleep(max(0.0, cut_s + outage_s - time.monotonic()))  # the fault itself
    proxy.heal()
    assert_known_within(page, windows.known_within_s, cut_ms)
    assert_live_within(page, windows.back_within_s)
    answered = len(tap.settled())
    watch.wait_until(lambda: len(tap.settled()) > answered, windows.back_within_s, "a report is answered again")
    assert_all_time_counted(page, tap, before, windows.report_ms)


def _until_it_waits_long(page: Page) -> None:
    """Until the next try is further away than the event's own bound: what comes sooner comes of the event."""
    # What a busy machine may add to the bound is in it.
    Watch(page).wait_for_a_pause(AFTER_AN_EVENT_S)


def _tell(page: Page, event: str) -> None:
    if event == "online":
        page.evaluate("window.dispatchEvent(new Event('online'))")
        return
    # Hidden and visible again, as a browser tells it.
    page.evaluate("""() => {
        for (const state of ["hidden", "visible"]) {
            Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
            document.dispatchEvent(new Event("visibilitychange"));
        }
    }""")
