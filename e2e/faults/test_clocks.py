"""Wall clocks that are wrong by hours, and that are set while a page is open: the countdown does not care."""

from __future__ import annotations

import json
import re
import time
from datetime import datetime
from statistics import median

import pytest
from playwright.sync_api import Browser, Page, expect

from e2e.conftest import SCREEN, Measured
from e2e.faults.conftest import Enter
from e2e.harness.assertions import assert_live_soon, assert_no_doubles, assert_no_loss
from e2e.harness.faketime import allow_steps, chromium_with_wrong_clock, step
from e2e.harness.fault_proxy import Door, FaultProxy
from e2e.harness.frames import FrameTap
from e2e.harness.jury import Jury
from e2e.harness.lifecycle import asleep
from e2e.harness.pages import OVERVIEW
from e2e.harness.sessions import enter_as
from e2e.harness.watch import Watch, install_watch
from e2e.harness.windows import HAPPENS_WITHIN_S, SLACK_S, Windows
from tools.site_process import SiteProcess

RIGHT_TO_S = 0.25
QUESTIONS = 10
HOUR_S = 3600
ASKED_WITHIN_MS = 5_000
"""By a page that asks for itself, at a moment of its own within a second and a half."""
DOUBT = re.compile(r"false: .*not\ssynchronised")  # joined by a space that breaks no line
KEEP_TOLD = """() => {
    const clock = document.querySelector("#contest-clock");
    window.told = [];
    const keep = () => window.told.push(`${clock.dataset.synchronised}: ${clock.textContent}`);
    new MutationObserver(keep).observe(clock, { attributes: true, attributeFilter: ["data-synchronised"] });
}"""
OLD_MS = 700
"""HTML of this age is wrong by more than a countdown may be."""
STEPS_S = {"far ahead": 26 * HOUR_S, "far behind": -19 * HOUR_S, "a little ahead": 90, "a little behind": -90}


@pytest.fixture
def page(enter: Enter) -> Page:
    """Alice's, whose computer's clock can be set; not loaded yet."""
    page = enter("alice")
    allow_steps(page.context)
    return page


@pytest.mark.parametrize("difference_s", [5 * HOUR_S, -5 * HOUR_S], ids=["five hours fast", "five hours slow"])
def test_the_countdown_is_right_where_the_computers_clock_is_wrong(
    site: SiteProcess, proxy: FaultProxy, browser: Browser, jury: Jury, measured: Measured, difference_s: int
) -> None:
    with chromium_with_wrong_clock(browser, difference_s) as wrong:
        context = wrong.new_context(viewport=SCREEN, base_url=proxy.url)
        install_watch(context)
        page = enter_as(context, "alice")
        page.goto(OVERVIEW)
        assert_live_soon(page)
        assert abs(_wall_clock_error_s(page) - difference_s) < 2, "the page's clock is not wrong"
        measured(f"countdown with a clock {difference_s // HOUR_S:+d} h", _countdown_error_s(page), RIGHT_TO_S)
        jury.post_notice(f"Said to a clock {difference_s // HOUR_S:+d} h")
        assert_no_loss(page, jury)
        assert_no_doubles(page)


def test_steps_of_the_clock_cut_nobody_off_and_leave_the_countdown_right(
    page: Page, jury: Jury, measured: Measured
) -> None:
    tap = FrameTap(page)
    page.goto(OVERVIEW)
    assert_live_soon(page)
    watch, since_ms = Watch(page), Watch(page).now_ms()
    worst_s = 0.0
    for name, step_s in STEPS_S.items():
        step(page, step_s)
        assert abs(_wall_clock_error_s(page) - step_s) < 2, "the clock was not set"
        jury.post_notice(f"Said with the clock {name}")
        assert_no_loss(page, jury)
        _until_times_are_exchanged(watch, tap)
        worst_s = max(worst_s, _countdown_error_s(page))
    assert watch.first_after("page", since_ms, lambda state: state not in ("live", "checking")) is None, watch.story()
    assert set(page.evaluate("window.fathom.connections().map((each) => each.sockets)")) == {1}
    assert_no_doubles(page)
    measured("countdown after steps of the clock", worst_s, RIGHT_TO_S)


@pytest.mark.quick
def test_the_countdown_is_right_after_a_sleep(
    page: Page, browser: Browser, windows: Windows, measured: Measured
) -> None:
    page.goto(OVERVIEW)
    assert_live_soon(page)
    with asleep(browser):
        time.sleep(2 * windows.report_ms / 1000)  # the fault itself
    watch = Watch(page)
    slept_ms = 1.9 * windows.report_ms
    watch.wait_until(lambda: watch.longest_standstill_ms() > slept_ms, HAPPENS_WITHIN_S, "the page slept, and wakes")
    assert_live_soon(page)
    measured("countdown after a sleep", _countdown_error_s(page), RIGHT_TO_S)


@pytest.mark.quick
def test_until_the_next_exchange_a_countdown_after_a_step_says_that_it_is_not_synchronised(
    page: Page, proxy: FaultProxy, windows: Windows
) -> None:
    page.goto(OVERVIEW)
    assert_live_soon(page)
    assert _countdown_error_s(page) < RIGHT_TO_S
    proxy.black_hole()
    step(page, 2 * HOUR_S)
    watch = Watch(page)
    synchronised = "document.querySelector('#contest-clock').dataset.synchronised"
    watch.wait_until(lambda: page.evaluate(synchronised) == "false", HAPPENS_WITHIN_S, "the countdown says so")
    proxy.heal()
    watch.wait_until(lambda: page.evaluate(synchronised) == "true", windows.back_within_s + 5, "it is right again")
    assert _countdown_error_s(page) < RIGHT_TO_S


def test_html_out_of_the_browsers_cache_is_not_taken_for_the_time(
    enter: Enter, proxy: FaultProxy, windows: Windows, measured: Measured
) -> None:
    page = enter("bob", OVERVIEW)
    assert_live_soon(page)
    made_s = _made_s(page)
    page.goto("/accounts/profile/")
    page.wait_for_timeout(OLD_MS)  # the fault itself
    proxy.close_door(Door.REFUSE)
    page.go_back()
    assert _made_s(page) == made_s, "the server was asked for a page"
    assert page.evaluate("performance.getEntriesByType('navigation')[0].type") == "back_forward"
    clock = page.locator("#contest-clock")
    expect(clock).to_have_attribute("data-synchronised", "false")
    expect(clock).to_contain_text("(not synchronised)")
    proxy.heal()
    expect(clock).to_have_attribute("data-synchronised", "true", timeout=1_000 * (windows.back_within_s + SLACK_S))
    expect(clock).not_to_contain_text("synchronised")
    measured("countdown of a page that was gone back to", _countdown_error_s(page), RIGHT_TO_S)


def test_a_visitor_whose_page_has_no_connection_gets_the_time_again_after_a_step_and_after_going_back(
    browser: Browser, proxy: FaultProxy, measured: Measured
) -> None:
    context = browser.new_context(viewport=SCREEN, base_url=proxy.url)
    install_watch(context)
    allow_steps(context)
    page = context.new_page()
    page.goto(OVERVIEW)
    clock = page.locator("#contest-clock")
    expect(clock).to_have_attribute("data-synchronised", "true")
    assert proxy.sockets == [], "this page has a connection"
    worst_s = _countdown_error_s(page)
    page.evaluate(KEEP_TOLD)
    step(page, -3 * HOUR_S)
    Watch(page).wait_until(
        lambda: any(map(DOUBT.match, page.evaluate("window.told"))), HAPPENS_WITHIN_S, "the countdown says so"
    )
    expect(clock).to_have_attribute("data-synchronised", "true", timeout=ASKED_WITHIN_MS)
    worst_s = max(worst_s, _countdown_error_s(page))
    page.goto("/")
    page.wait_for_timeout(OLD_MS)
    page.go_back()
    loading = page.evaluate("performance.getEntriesByType('navigation')[0].toJSON()")
    assert (loading["type"], loading["transferSize"]) == ("back_forward", 0), "the server was asked for a page"
    expect(clock).to_have_attribute("data-synchronised", "true", timeout=ASKED_WITHIN_MS)
    measured("countdown without a connection", max(worst_s, _countdown_error_s(page)), RIGHT_TO_S)
    context.close()


def _until_times_are_exchanged(watch: Watch, tap: FrameTap) -> None:
    answered = len(tap.settled())
    watch.wait_until(lambda: len(tap.settled()) > answered, HAPPENS_WITHIN_S, "times are exchanged")


def _wall_clock_error_s(page: Page) -> float:
    return float(page.evaluate("Date.now()")) / 1000 - time.time()


def _made_s(page: Page) -> float:
    """When the server made the HTML that the page was loaded with."""
    return float(page.evaluate("JSON.parse(document.getElementById('fathom-page').textContent).server_time"))


def _page_now(page: Page) -> tuple[float, float]:
    """The wall clock of this process, and the page's monotonic clock in ms, at one moment: of several questions the
    one that was answered soonest, because a busy machine answers half a second later or sooner."""
    asked: list[tuple[float, float, float]] = []
    for _ in range(QUESTIONS):
        before_s = time.monotonic()
        page_ms = Watch(page).now_ms()
        trip_s = time.monotonic() - before_s
        asked.append((trip_s, time.time() - trip_s / 2, page_ms))
    _, here_s, page_ms = min(asked)
    return here_s, page_ms


def _countdown_error_s(page: Page) -> float:
    """How wrong the countdown is at the moments at which it is written."""
    page.evaluate("window.watch.ticks.length = 0")
    watch = Watch(page)
    watch.wait_until(
        lambda: int(page.evaluate("window.watch.ticks.length")) >= 2, HAPPENS_WITHIN_S, "the countdown is written"
    )
    here_s, page_ms = _page_now(page)
    data = json.loads(page.locator("#fathom-page").text_content() or "")
    ends_s = datetime.fromisoformat(data["schedule"]["ends_at"]).timestamp()
    ticks = page.evaluate("window.watch.ticks")
    errors = [tick["remainingMs"] / 1000 - (ends_s - here_s - (tick["atMs"] - page_ms) / 1000) for tick in ticks]
    return abs(float(median(errors)))
