"""The numbers that the site promises, with no window shortened."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from e2e.conftest import Measured, NewSite
from e2e.faults.conftest import Enter
from e2e.harness.assertions import (
    assert_all_time_counted,
    assert_honest_badge,
    assert_known_within,
    assert_live_soon,
    assert_live_within,
    assert_no_doubles,
    assert_no_loss,
    is_not_live,
)
from e2e.harness.fault_proxy import FaultProxy
from e2e.harness.frames import FrameTap
from e2e.harness.jury import Jury, Visitor
from e2e.harness.pages import OVERVIEW, PROBLEM
from e2e.harness.watch import Watch
from e2e.harness.windows import DEFAULTS, FIRST_WAIT_S, HAPPENS_WITHIN_S, SLACK_S
from tools.site_process import SiteProcess

KNOWN_WITHIN_S = 21.0
BACK_WITHIN_S = 13.0
HANDSHAKE_HOLDS_UP_S = 5.0
AWAY_S = 10.0
REPORTED_WITHIN_S = 1.5 * DEFAULTS.report_ms / 1000 + SLACK_S


@pytest.fixture(scope="module")
def own_site(new_site: NewSite) -> Iterator[SiteProcess]:
    process = new_site()
    process.start()
    yield process
    process.end()


@pytest.fixture
def site(own_site: SiteProcess) -> SiteProcess:
    return own_site


def test_the_bounds_of_the_shortened_windows_are_those_of_the_defaults() -> None:
    assert pytest.approx(KNOWN_WITHIN_S) == DEFAULTS.known_within_s
    assert DEFAULTS.back_within_s <= BACK_WITHIN_S
    assert DEFAULTS.scout_s == HANDSHAKE_HOLDS_UP_S


def test_a_half_open_path_is_known_to_all_five_streams_in_21_s_and_all_are_live_13_s_after_it_is_back(
    enter: Enter, site: SiteProcess, proxy: FaultProxy, jury: Jury, measured: Measured
) -> None:
    problem, record = enter("alice", PROBLEM), enter("alice", _submit(site))
    for page in (problem, record):
        assert_live_soon(page)
    streams = {name for page in (problem, record) for name in Watch(page).names()} - {"page"}
    assert streams == {"announcements", "records", "record", "selftest", "timer"}
    cut_ms = {page: Watch(page).now_ms() for page in (problem, record)}
    proxy.black_hole()
    notice = jury.post_notice("Said into a black hole of full length")
    known_s = max(assert_known_within(page, KNOWN_WITHIN_S, since_ms) for page, since_ms in cut_ms.items())
    assert proxy.swallowed > 0, "nothing was swallowed: there was no fault"
    healed_ms = {page: Watch(page).now_ms() for page in cut_ms}
    proxy.heal()
    back_s = max(assert_live_within(page, BACK_WITHIN_S, since_ms) for page, since_ms in healed_ms.items())
    for page in cut_ms:
        assert_honest_badge(page, cut_ms=cut_ms[page], healed_ms=healed_ms[page], blind_s=KNOWN_WITHIN_S)
        assert_no_doubles(page)
        expect(page.locator(f"#alerts [data-notice-id='{notice}']")).to_have_count(1)
    measured("a half-open path is known to all five streams", known_s, KNOWN_WITHIN_S)
    measured("all five streams are live after the path is back", back_s, BACK_WITHIN_S)


def test_a_hanging_handshake_holds_up_a_new_page_for_at_most_five_seconds(
    enter: Enter, proxy: FaultProxy, measured: Measured
) -> None:
    page = enter("bob")
    proxy.faults.hang_next = 1
    page.goto(PROBLEM)
    assert_live_within(page, HANDSHAKE_HOLDS_UP_S + 1)
    assert proxy.counts.hung == 1, "no handshake hung"
    watch = Watch(page)
    hung_ms, next_ms = watch.handshakes_ms()[:2]
    # How long loading the page took, and then the machine, is not the page's doing; nor does the wait before
    # the second try belong to the hanging handshake.
    held_up_s = watch.own_s(hung_ms, (next_ms - hung_ms) / 1000)
    measured("a hanging handshake holds up a page", held_up_s, HANDSHAKE_HOLDS_UP_S + FIRST_WAIT_S + SLACK_S)


def test_a_server_that_was_away_for_ten_seconds_costs_no_page_its_lease(
    enter: Enter, site: SiteProcess, jury: Jury, measured: Measured
) -> None:
    page = enter("carol")
    tap = FrameTap(page)
    page.goto(OVERVIEW)
    watch = Watch(page)
    watch.wait_until(lambda: len(tap.settled()) > 1, REPORTED_WITHIN_S, "some time is counted")
    before = len(tap.settled()) - 1
    cut_s, cut_ms = time.monotonic(), watch.now_ms()
    site.kill()
    watch.wait_until(
        lambda: watch.first_after("page", cut_ms, is_not_live) is not None, HAPPENS_WITHIN_S, "the page says so"
    )
    _away_until(page, site, cut_s + AWAY_S)
    back_s = assert_live_within(page, BACK_WITHIN_S)
    answered = len(tap.settled())
    watch.wait_until(lambda: len(tap.settled()) > answered, REPORTED_WITHIN_S, "a report is answered again")
    assert_all_time_counted(page, tap, before, DEFAULTS.report_ms)
    assert_no_loss(page, jury)
    measured("live again after a server that was away for ten seconds", back_s, BACK_WITHIN_S)


def _submit(site: SiteProcess) -> str:
    """The address of a new record of Alice's."""
    fields = {"language": "python", "source": "print(sum(map(int, input().split())))"}
    address = Visitor(site.url, "alice").submit("/contests/demo/problems/A/submit/", fields)
    return address.removeprefix(site.url)


def _away_until(page: Page, site: SiteProcess, back_at_s: float) -> None:
    """Start the site so that it answers about then."""
    before_s = time.monotonic()
    page.wait_for_timeout(max(0.0, back_at_s - before_s - 3.0) * 1000)
    site.start()
    page.wait_for_timeout(max(0.0, back_at_s - time.monotonic()) * 1000)
