"""The server itself goes: killed and started again, told to end, stopped in its tracks."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from e2e.conftest import Measured, NewSite
from e2e.faults.conftest import Enter
from e2e.harness.assertions import (
    assert_honest_badge,
    assert_known_within,
    assert_live_soon,
    assert_live_within,
    assert_no_doubles,
    assert_no_loss,
)
from e2e.harness.frames import FrameTap
from e2e.harness.jury import Jury
from e2e.harness.lifecycle import state_of
from e2e.harness.pages import OVERVIEW, PROBLEM
from e2e.harness.processes import slowed
from e2e.harness.watch import Watch
from e2e.harness.windows import HAPPENS_WITHIN_S, SHORT, SLACK_S, Windows
from tools.site_process import SiteProcess

ASK_MS = """async () => {
    const askedMs = performance.now();
    await fetch("/healthz", { cache: "no-store" });
    return performance.now() - askedMs;
}"""


@pytest.fixture(scope="module")
def own_site(new_site: NewSite) -> SiteProcess:
    return new_site(FATHOM_JUDGE_SLOTS="0", **SHORT.environment)


@pytest.fixture
def site(own_site: SiteProcess) -> SiteProcess:
    """Of this module alone; each test finds it running."""
    if own_site.process is None or own_site.process.poll() is not None:
        own_site.start()
    return own_site


@pytest.mark.both_shapes
def test_a_killed_server_loses_nothing_and_its_pages_come_back_by_themselves(
    enter: Enter, site: SiteProcess, jury: Jury, windows: Windows
) -> None:
    problem, overview = enter("alice", PROBLEM), enter("bob", OVERVIEW)
    for page in (problem, overview):
        assert_live_soon(page)
    jury.post_notice("The last words of a server")
    cut_ms = {page: Watch(page).now_ms() for page in (problem, overview)}
    site.kill()
    assert site.process is not None and site.process.poll() == -signal.SIGKILL, "the server was not killed"
    for page, since_ms in cut_ms.items():
        assert_known_within(page, SLACK_S, since_ms)
    site.start()
    healed_ms = {page: Watch(page).now_ms() for page in cut_ms}
    Jury(site.url).post_notice("The first words of the next")
    for page in cut_ms:
        assert_live_within(page, windows.back_within_s, healed_ms[page])
        assert_honest_badge(page, cut_ms=cut_ms[page], healed_ms=healed_ms[page], blind_s=SLACK_S)
        assert_no_doubles(page)
    assert_no_loss(overview, jury)


def test_a_server_that_is_told_to_end_says_so_and_its_pages_go_over_to_the_next(
    enter: Enter, site: SiteProcess, jury: Jury, windows: Windows
) -> None:
    page = enter("alice")
    tap = FrameTap(page)
    page.goto(OVERVIEW)
    assert_live_soon(page)
    watch = Watch(page)
    jury.post_notice("Before the change")
    cut_ms = watch.now_ms()
    assert site.stop() == 0
    streams = len(watch.names()) - 1
    watch.wait_until(
        lambda: sum(each["type"] == "drain" for each in tap.received) == streams,
        HAPPENS_WITHIN_S,
        "each stream is told that it goes",
    )
    assert_known_within(page, SLACK_S, cut_ms)
    said = [each.state for each in watch.changes() if each.name == "page" and each.at_ms >= cut_ms]
    assert said[0] == "switching", f"at first it is a planned change\n{watch.story()}"
    site.start()
    healed_ms = watch.now_ms()
    Jury(site.url).post_notice("After the change")
    assert_live_within(page, windows.back_within_s, healed_ms)
    assert_honest_badge(page, cut_ms=cut_ms, healed_ms=healed_ms, blind_s=SLACK_S)
    assert_no_loss(page, jury)
    assert_no_doubles(page)


def test_a_server_that_stands_still_is_noticed_and_its_pages_are_live_when_it_goes_on(
    enter: Enter, site: SiteProcess, jury: Jury, windows: Windows, measured: Measured
) -> None:
    page = enter("carol", OVERVIEW)
    assert_live_soon(page)
    watch = Watch(page)
    cut_ms = watch.now_ms()
    with _stopped(site):
        known_s = assert_known_within(page, windows.known_within_s, cut_ms)
    healed_ms = watch.now_ms()
    jury.post_notice("After the standstill")
    assert_live_within(page, windows.back_within_s, healed_ms)
    assert_honest_badge(page, cut_ms=cut_ms, healed_ms=healed_ms, blind_s=windows.known_within_s)
    assert_no_loss(page, jury)
    assert_no_doubles(page)
    measured("short windows: a server that stands still is known", known_s, windows.known_within_s + SLACK_S)


def test_a_short_standstill_cuts_nobody_off(enter: Enter, site: SiteProcess, jury: Jury, windows: Windows) -> None:
    page = enter("carol")
    tap = FrameTap(page)
    page.goto(PROBLEM)
    assert_live_soon(page)
    watch = Watch(page)
    since_ms = watch.now_ms()
    with _stopped(site):
        time.sleep(windows.report_ms / 2000)  # the fault itself
    answered = len(tap.settled())
    notice = jury.post_notice("After a hiccup")
    expect(page.locator(f"#alerts [data-notice-id='{notice}']")).to_have_count(1)
    watch.wait_until(lambda: len(tap.settled()) > answered, HAPPENS_WITHIN_S, "a report is answered again")
    assert watch.first_after("page", since_ms, lambda state: state not in ("live", "checking")) is None, watch.story()
    sockets = page.evaluate("window.fathom.connections().map((each) => each.sockets)")
    assert set(sockets) == {1}, "a connection was replaced"
    assert_no_doubles(page)


def test_a_slow_server_is_no_dead_server(enter: Enter, site: SiteProcess, jury: Jury, windows: Windows) -> None:
    page = enter("alice")
    tap = FrameTap(page)
    page.goto(OVERVIEW)
    assert_live_soon(page)
    watch = Watch(page)
    since_ms, answered = watch.now_ms(), len(tap.settled())
    assert site.process is not None
    stands_s = 0.1 * windows.probe_ms / 1000
    with slowed(site.process.pid, stands_s=stands_s, runs_s=stands_s / 2):
        jury.post_notice("Said by a slow server")
        assert_no_loss(page, jury)
        watch.wait_until(lambda: len(tap.settled()) > answered + 1, HAPPENS_WITHIN_S, "two more reports")
        # Of the reports, which are few, all may come at a moment at which it runs.
        watch.wait_until(lambda: page.evaluate(ASK_MS) > stands_s * 500, HAPPENS_WITHIN_S, "it is slow")
    assert watch.first_after("page", since_ms, lambda state: state not in ("live", "checking")) is None, watch.story()
    assert set(page.evaluate("window.fathom.connections().map((each) => each.sockets)")) == {1}
    assert_no_doubles(page)


@contextmanager
def _stopped(site: SiteProcess) -> Iterator[None]:
    assert site.process is not None
    os.kill(site.process.pid, signal.SIGSTOP)
    try:
        deadline_s = time.monotonic() + HAPPENS_WITHIN_S
        while state_of(site.process.pid) != "T":
            assert time.monotonic() < deadline_s, "the server goes on running"
        yield
    finally:
        os.kill(site.process.pid, signal.SIGCONT)
