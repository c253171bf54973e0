"""Pages that did not run for a while: the lid was closed, or the browser froze them to save memory."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from e2e.faults.conftest import Enter
from e2e.harness.assertions import assert_live_soon, assert_live_within, assert_no_doubles, assert_no_loss, is_not_live
from e2e.harness.fault_proxy import FaultProxy
from e2e.harness.frames import FrameTap
from e2e.harness.jury import Jury
from e2e.harness.lifecycle import asleep, desktop_chromium, frozen
from e2e.harness.pages import OVERVIEW, PROBLEM
from e2e.harness.sessions import enter_as
from e2e.harness.watch import Watch, install_watch
from e2e.harness.windows import FIRST_WAIT_S, FOLLOW_S, HAPPENS_WITHIN_S, QUICK, QUICK_HANDSHAKE_MS, SLACK_S
from tools.site_process import SiteProcess

pytestmark = pytest.mark.quick

SLEEP_S = 7.0
"""Longer than all windows of the site: silence and probe, idle kill and heartbeat, lease."""


def test_the_sleep_is_longer_than_all_windows() -> None:
    longest = max(QUICK.silence_ms + QUICK.probe_ms, QUICK.idle_kill_ms + QUICK.heartbeat_ms, QUICK_HANDSHAKE_MS)
    assert longest / 1000 < SLEEP_S


def test_a_page_that_slept_says_at_once_that_it_is_not_live_shows_what_it_missed_and_counts_no_time_asleep(
    enter: Enter, browser: Browser, jury: Jury
) -> None:
    page = enter("carol")
    tap = FrameTap(page)
    page.goto(OVERVIEW)
    assert_live_soon(page)
    watch = Watch(page)
    watch.wait_until(lambda: len(tap.settled()) > 1, HAPPENS_WITHIN_S, "some time is counted")
    before = len(tap.settled()) - 1
    with asleep(browser):
        jury.post_notice("Said to a sleeper")
        time.sleep(SLEEP_S)  # the fault itself
    woken_ms = watch.now_ms()
    # What was asked of the page while it slept may be answered before its own timers are.
    watch.wait_until(
        lambda: watch.longest_standstill_ms() > SLEEP_S * 900, HAPPENS_WITHIN_S, "the page slept, and wakes"
    )
    watch.wait_until(
        lambda: watch.first_after("page", woken_ms - 500, is_not_live) is not None,
        SLACK_S,
        "it is not called live after the sleep",
        woken_ms,
    )
    assert_live_within(page, QUICK.probe_ms / 1000 + FIRST_WAIT_S + FOLLOW_S, woken_ms)
    blind_ms = watch.first_after("page", woken_ms - 500, is_not_live)
    assert blind_ms is not None and blind_ms < 500 + SLACK_S * 1000, f"called live after the sleep\n{watch.story()}"
    assert_no_loss(page, jury)
    assert_no_doubles(page)
    answered = len(tap.settled())
    watch.wait_until(lambda: len(tap.settled()) > answered, HAPPENS_WITHIN_S, "a report is answered again")
    assert_no_more_than_the_lease_counts(tap, before)


def assert_no_more_than_the_lease_counts(tap: FrameTap, before: int) -> None:
    """Of the time asleep since the answered report number `before`."""
    (from_ms, counted_before), (until_ms, counted) = tap.settled()[before], tap.settled()[-1]
    uncounted_ms = until_ms - from_ms - (counted - counted_before)
    assert uncounted_ms >= SLEEP_S * 1000 - QUICK.lease_ms, f"only {uncounted_ms:.0f} ms of the sleep were left out"
    assert uncounted_ms <= SLEEP_S * 1000 + QUICK.lease_ms, f"{uncounted_ms:.0f} ms are missing"


def test_a_page_whose_path_died_in_its_sleep_asks_once_and_then_knows(
    enter: Enter, browser: Browser, proxy: FaultProxy, jury: Jury
) -> None:
    """The laptop woke up in another network: nobody told its connections."""
    page = enter("bob", PROBLEM)
    assert_live_soon(page)
    with asleep(browser):
        proxy.black_hole()
        time.sleep(SLEEP_S)
        assert proxy.swallowed > 0, "nothing was swallowed: the path did not die"
        proxy.heal()
    watch = Watch(page)
    woken_ms = watch.now_ms()
    assert_live_within(page, QUICK.probe_ms / 1000 + FIRST_WAIT_S + FOLLOW_S, woken_ms)
    causes = page.evaluate("window.fathom.connections().flatMap((each) => each.causes.map(({ cause }) => cause))")
    assert not {"close", "error"} & set(causes), f"{causes}: some connection was told"
    assert_no_doubles(page)


def test_a_frozen_page_shows_what_it_missed_when_it_goes_on(
    site: SiteProcess, proxy: FaultProxy, browser: Browser, jury: Jury, tmp_path: Path
) -> None:
    with desktop_chromium(browser, tmp_path) as context:
        install_watch(context)
        page = enter_as(context, "alice")
        page.goto(proxy.url + OVERVIEW)
        assert_live_soon(page)
        front = context.new_page()
        front.bring_to_front()
        watch = Watch(page)
        watch.wait_until(watch.is_hidden, HAPPENS_WITHIN_S, "the page is hidden")
        hidden_ms = watch.now_ms()
        with frozen(page):
            jury.post_notice("Said to a frozen page")
            time.sleep(SLEEP_S)  # the fault itself
        page.bring_to_front()
        watch.wait_until(lambda: "visible" in watch.events(hidden_ms), HAPPENS_WITHIN_S, "the page is visible again")
        assert {"freeze", "resume"} <= set(watch.events(hidden_ms)), watch.events()
        woken_ms = watch.now_ms()
        watch.wait_until(lambda: watch.longest_standstill_ms() > SLEEP_S * 900, HAPPENS_WITHIN_S, "the page was frozen")
        assert_live_within(page, QUICK.probe_ms / 1000 + FIRST_WAIT_S + FOLLOW_S, woken_ms)
        assert_no_loss(page, jury)
        assert_no_doubles(page)
