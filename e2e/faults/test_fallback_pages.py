"""Pages over their fallback: coming over, commands whose answer is lost, hidden pages and second ones."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from e2e.conftest import Measured, NewSite
from e2e.faults.conftest import Enter, hand_over
from e2e.harness.assertions import assert_live_within, assert_no_doubles, assert_no_loss, notices_on
from e2e.harness.fault_proxy import Door, FaultProxy, Upgrades
from e2e.harness.jury import Jury, Visitor
from e2e.harness.lifecycle import desktop_chromium
from e2e.harness.nginx import nginx
from e2e.harness.pages import OVERVIEW, PROBLEM
from e2e.harness.watch import Watch, install_watch, transports
from e2e.harness.windows import (
    DEFAULTS,
    FOLLOW_S,
    HAPPENS_WITHIN_S,
    LONGEST_BACKOFF_S,
    ON_ITS_FALLBACK_WITHIN_S,
    SLACK_S,
)
from tools.site_process import SiteProcess

AWAY_S = 8.0
"""Longer than refusals have to go on before a page doubts that WebSockets pass."""
TABS = 8
"""More than the connections that a browser makes to one host."""
NOTHING_WAITS = "window.fathom.connections().every(({ queued }) => queued.length === 0)"
GIVEN_BACK_WITHIN_S = 2.0
"""The time that a hidden page has for its last words; its timers run once a second."""


@pytest.fixture(scope="module")
def site(new_site: NewSite) -> SiteProcess:
    process = new_site(FATHOM_JUDGE_SLOTS="0")
    process.start()
    return process


@pytest.fixture
def window(site: SiteProcess, browser: Browser, tmp_path: Path) -> Iterator[BrowserContext]:
    """A browser of Alice's with real tabs: the one in front is visible, all others are hidden."""
    with desktop_chromium(browser, tmp_path) as context:
        install_watch(context)
        hand_over(Visitor(site.url, "alice"), context)
        yield context


def enter_over_events(enter: Enter, proxy: FaultProxy, who: str, path: str) -> Page:
    proxy.faults.upgrades = Upgrades.REFUSE
    page = enter(who, path)
    assert_live_within(page, ON_ITS_FALLBACK_WITHIN_S)
    assert transports(page) == {"events"}
    return page


@pytest.mark.parametrize("upgrades", [Upgrades.STRIP, Upgrades.HANG])
def test_a_page_whose_websockets_are_cut_comes_over_by_itself_and_misses_nothing(
    enter: Enter, proxy: FaultProxy, jury: Jury, measured: Measured, upgrades: Upgrades
) -> None:
    page = enter("alice", OVERVIEW)
    assert_live_within(page, 5)
    assert transports(page) == {"websocket"}
    proxy.faults.upgrades = upgrades
    cut_ms = Watch(page).now_ms()
    assert proxy.reset_all() > 0
    jury.post_notice(f"Said on the way to the fallback: {upgrades.value}")
    Watch(page).wait_until(lambda: proxy.counts.blocked > 0, 2.0 + SLACK_S, "a handshake is kept from passing")
    took_s = assert_live_within(page, ON_ITS_FALLBACK_WITHIN_S, cut_ms)
    measured(
        f"cut off, and live over the fallback, upgrades: {upgrades.value}", took_s, ON_ITS_FALLBACK_WITHIN_S + SLACK_S
    )
    assert transports(page) == {"events"}
    assert_no_loss(page, jury)
    jury.post_notice(f"Said over the fallback: {upgrades.value}")
    assert_no_loss(page, jury)
    assert_no_doubles(page)


def test_behind_an_nginx_that_nobody_told_of_websockets_notices_are_not_kept_in_its_buffers(
    enter: Enter, site: SiteProcess, jury: Jury, measured: Measured, tmp_path: Path
) -> None:
    with nginx(site.port, tmp_path, silence_s=60, upgrades=False) as plain:
        page = enter("bob", OVERVIEW, url=plain.url)
        took_s = assert_live_within(page, ON_ITS_FALLBACK_WITHIN_S)
        measured("live over the fallback behind a plain nginx", took_s, ON_ITS_FALLBACK_WITHIN_S)
        assert plain.refused_sockets() >= 2, "it passed WebSockets on"
        assert transports(page) == {"events"}
        notice = jury.post_notice("Said through a buffering proxy")
        watch = Watch(page)
        posted_ms = watch.now_ms()
        watch.wait_until(lambda: notice in notices_on(page), 1.0 + SLACK_S, "it arrives", posted_ms)
        # The second unit is for the look itself, which comes after the arrival.
        took_s = watch.own_s(posted_ms, (watch.now_ms() - posted_ms) / 1000)
        measured("a notice through a plain nginx, after the form's answer", took_s, 1.0 + 2 * SLACK_S)


@pytest.mark.parametrize("leave", ["refuses", "hangs"])
def test_a_server_that_was_away_gets_its_websockets_back_and_no_event_stream(
    enter: Enter, proxy: FaultProxy, jury: Jury, leave: str
) -> None:
    page = enter("bob", PROBLEM)
    assert_live_within(page, 5)
    if leave == "refuses":
        proxy.close_door(Door.REFUSE)
        assert proxy.is_refusing()
    else:
        proxy.close_door(Door.HANG)
    assert proxy.reset_all() > 0
    time.sleep(AWAY_S)  # the fault itself
    assert Watch(page).state("page") != "live"
    proxy.heal()
    assert_live_within(page, DEFAULTS.scout_s + LONGEST_BACKOFF_S + FOLLOW_S)
    assert transports(page) == {"websocket"}
    assert proxy.counts.event_streams == 0, "the fallback was tried"


COMMANDS = {
    "ask": ("announcements", "{ problem: null, text: 'Is this asked once?' }", OVERVIEW, "Clarification"),
    "run": ("selftest", "{ language: 'python', source: 'print(1)', stdin: '' }", PROBLEM, "SelfTestRun"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_whose_answer_is_lost_is_done_once_and_answered_all_the_same(
    enter: Enter, proxy: FaultProxy, site: SiteProcess, name: str
) -> None:
    stream, data, path, model = COMMANDS[name]
    page = enter_over_events(enter, proxy, "carol", path)
    watch = Watch(page)
    # Commands go one request after the other: behind a report whose answer is lost this one would wait for long.
    watch.wait_until(lambda: page.evaluate(NOTHING_WAITS), HAPPENS_WITHIN_S, "its first report is answered")
    proxy.faults.mute = "/rt/demo/commands"
    page.evaluate(f"() => {{ window.sent = window.fathom.command('{stream}', '{name}', {data}); }}")

    def stored() -> int:
        return int(site.manage("shell", "-v", "0", "-c", f"print({model}.objects.count())").split()[-1])

    watch.wait_until(lambda: proxy.counts.muted > 0, HAPPENS_WITHIN_S, "the request is on its way")
    watch.wait_until(lambda: stored() == 1, HAPPENS_WITHIN_S, "it is done")
    proxy.faults.mute = ""
    assert proxy.reset_all() > 0
    reply = page.evaluate("window.sent")
    assert reply["ok"], reply
    assert transports(page) == {"events"}
    assert stored() == 1


def test_two_pages_side_by_side_both_live_over_the_fallback_and_one_confirmation_is_enough(
    enter: Enter, proxy: FaultProxy, jury: Jury
) -> None:
    first = enter_over_events(enter, proxy, "alice", OVERVIEW)
    second = enter_over_events(enter, proxy, "alice", PROBLEM)
    Watch(second).wait_until(lambda: len(proxy.event_streams) == 2, HAPPENS_WITHIN_S, "each has its own stream")
    notice = jury.post_notice("Confirm this over the fallback", requires_ack=True)
    alert = f"#alerts [data-notice-id='{notice}']"
    for page in (first, second):
        expect(page.locator(alert)).to_have_count(1)
    second.locator(alert).get_by_role("button", name="Confirm").click()
    for page in (first, second):
        expect(page.locator(alert)).to_have_count(0)
        expect(page.locator(".badge-text")).to_have_text("live (fallback)")
    assert jury.ledger(notice)["counts"]["confirmed"] == 1


def test_a_page_that_is_left_says_with_its_last_words_that_nobody_looks_at_it(
    enter: Enter, proxy: FaultProxy, site: SiteProcess
) -> None:
    page = enter_over_events(enter, proxy, "bob", OVERVIEW)
    client = page.evaluate("window.fathom.page().client")

    def is_looked_at() -> bool:
        """As its last report said; no other word changes that."""
        code = f"print(TimerSession.objects.get(client='{client}').foreground)"
        return "True" in site.manage("shell", "-v", "0", "-c", f"from realtime.models import TimerSession; {code}")

    Watch(page).wait_until(is_looked_at, HAPPENS_WITHIN_S, "it says that somebody looks at it")
    page.goto("/accounts/profile/")
    deadline_s = time.monotonic() + HAPPENS_WITHIN_S
    while is_looked_at():
        assert time.monotonic() < deadline_s, "its last words are lost"


def test_hidden_tabs_give_their_event_streams_back_so_that_six_connections_are_enough_for_eight(
    window: BrowserContext, proxy: FaultProxy, jury: Jury, measured: Measured
) -> None:
    proxy.faults.upgrades = Upgrades.REFUSE
    tabs = []
    for number in range(TABS):
        page = window.new_page()
        page.bring_to_front()
        page.goto(proxy.url + OVERVIEW)
        took_s = assert_live_within(page, ON_ITS_FALLBACK_WITHIN_S)
        measured(f"tab {number + 1} is live over the fallback", took_s, ON_ITS_FALLBACK_WITHIN_S)
        tabs.append(page)
    first, last = tabs[0], tabs[-1]
    Watch(last).wait_until(
        lambda: len(proxy.event_streams) == 1, GIVEN_BACK_WITHIN_S + 2 * SLACK_S, "hidden tabs give their streams back"
    )
    assert transports(last) == {"events"}

    notice = jury.post_notice("Said while seven tabs are hidden")
    assert_no_loss(last, jury)
    assert notice not in notices_on(first), "a hidden tab has a stream after all"
    first.bring_to_front()
    shown_ms = Watch(first).now_ms()
    measured("a tab that comes to the front", assert_live_within(first, 1.0, shown_ms), 1.0 + SLACK_S)
    assert_no_loss(first, jury)
    assert_no_doubles(first)
    Watch(first).wait_until(
        lambda: len(proxy.event_streams) == 1, GIVEN_BACK_WITHIN_S + 2 * SLACK_S, "the one that was in front gives way"
    )
