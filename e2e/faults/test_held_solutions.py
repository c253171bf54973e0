"""A solution that is sent into a broken path stays on its page, says so, and ends as one record or in words."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from e2e.faults.conftest import Enter
from e2e.harness.assertions import assert_live_within
from e2e.harness.carrying import Direction
from e2e.harness.fault_proxy import Door, FaultProxy
from e2e.harness.jury import Visitor
from e2e.harness.pages import PROBLEM
from e2e.harness.solving import assert_same_document, open_problem, records, write, write_and_submit
from e2e.harness.watch import Watch
from e2e.harness.windows import HAPPENS_WITHIN_S, SHORT
from tools.site_process import SiteProcess

SUBMIT = f"{PROBLEM}submit/"
NOT_CONFIRMED = re.compile("Your solution is not confirmed: the site (has not answered|cannot be reached)")
NOT_AGAIN = "It is not sent again; what was already on its way may still be stored"
HELD_WITHIN_MS = SHORT.probe_ms + HAPPENS_WITHIN_S * 1_000
"""The probe's time, and what a browser needs to give up."""
LONG_BYTES = 40_000
LONG_MS = LONG_BYTES // 8
"""That many more than the probe's time: what a slow line needs."""
SENT_WITHIN_MS = 1_000 * (SHORT.back_within_s + 1 + HAPPENS_WITHIN_S)
"""The page is live again, waits for its moment within a second, and sends."""

STOP_WHEN_IT_LEAVES = """() => {
    addEventListener("beforeunload", () => setTimeout(() => window.stop(), 1_000), { once: true });
}"""
"""Nothing can be asked of a page from outside while it is being left."""
STOPPED_WITHIN_MS = 1_000 * (10 + HAPPENS_WITHIN_S)
"""A browser that has not left by then does not leave."""


@pytest.fixture
def alice(site: SiteProcess) -> Visitor:
    return Visitor(site.url, "alice")


def submit_unanswered(page: Page, source: str) -> Locator:
    """The words that say so."""
    write_and_submit(page, source)
    outbox = page.locator("#submit-form .outbox")
    expect(outbox).to_contain_text(NOT_CONFIRMED, timeout=HELD_WITHIN_MS)
    return outbox


def submit_in_vain(page: Page, proxy: FaultProxy, source: str) -> Locator:
    """Until `proxy.faults.stall` is taken back nothing that is submitted gets to the site."""
    before = proxy.counts.stalled
    proxy.faults.stall = SUBMIT
    outbox = submit_unanswered(page, source)
    assert proxy.counts.stalled > before, "nothing was held up"
    return outbox


def test_while_the_site_is_away_it_is_held_in_words_and_sent_by_itself_once_it_is_back(
    enter: Enter, proxy: FaultProxy, alice: Visitor
) -> None:
    page = open_problem(enter)
    before = records(alice)
    proxy.close_door(Door.REFUSE)
    proxy.reset_all()
    assert proxy.is_refusing(), "the door is still open"
    outbox = submit_unanswered(page, "print('held')")
    expect(outbox).to_contain_text("It will be sent when the connection is back.")
    expect(page.get_by_role("button", name="Submit")).to_be_disabled()
    expect(page.locator(".cm-content")).to_contain_text("print('held')")
    proxy.heal()
    expect(outbox).to_contain_text("Your solution is sent.", timeout=SENT_WITHIN_MS)
    (record,) = records(alice) - before
    expect(outbox.get_by_role("link", name="See it")).to_have_attribute("href", f"/records/{record}/")
    expect(page.locator(f"#latest-records [data-record-id='{record}']")).to_be_visible()
    assert_same_document(page)


def test_where_the_jump_to_the_record_is_stopped_the_page_says_what_was_sent_and_sends_the_next(
    enter: Enter, proxy: FaultProxy, alice: Visitor
) -> None:
    page = open_problem(enter)
    before = records(alice)
    proxy.faults.stall = "/records/"
    page.evaluate(STOP_WHEN_IT_LEAVES)
    write_and_submit(page, "print('stopped')")
    Watch(page).wait_until(lambda: proxy.counts.stalled > 0, HAPPENS_WITHIN_S, "it leads to the record")
    proxy.faults.stall = ""
    (record,) = records(alice) - before
    outbox, button = page.locator("#submit-form .outbox"), page.get_by_role("button", name="Submit")
    expect(outbox).to_contain_text("Sent.")
    expect(button).to_be_disabled()
    write(page, "print('the next')")
    expect(button).to_be_enabled(timeout=STOPPED_WITHIN_MS)
    assert_same_document(page)
    expect(outbox).to_contain_text("Sent.")
    expect(outbox.get_by_role("link", name="See it")).to_have_attribute("href", f"/records/{record}/")
    button.click()
    page.wait_for_url("**/records/*/")
    assert len(records(alice) - before) == 2


def test_what_arrived_without_an_answer_is_sent_again_and_is_one_record(
    enter: Enter, proxy: FaultProxy, alice: Visitor
) -> None:
    page = open_problem(enter)
    before = records(alice)
    proxy.black_hole(Direction.DOWN)
    outbox = submit_unanswered(page, "print('unanswered')")
    first = records(alice) - before  # the site has had the probe's time to store it
    assert len(first) == 1, "it did not arrive, or twice: the answer alone should be lost"
    proxy.heal()
    expect(outbox).to_contain_text("Your solution is sent.", timeout=SENT_WITHIN_MS)
    expect(outbox.get_by_role("link", name="See it")).to_have_attribute("href", f"/records/{first.pop()}/")
    assert len(records(alice) - before) == 1
    assert_same_document(page)


def test_after_a_reload_it_is_offered_and_sent_only_if_the_person_says_so(
    enter: Enter, proxy: FaultProxy, alice: Visitor
) -> None:
    page = open_problem(enter)
    before = records(alice)
    outbox = submit_in_vain(page, proxy, "print('reloaded')")
    write(page, "print('typed after it')")
    expect(page.locator("#draft-said")).to_have_text("Draft kept in this browser")
    page.reload()
    assert_live_within(page, 5)
    expect(outbox).to_contain_text("was sent without an answer")
    expect(page.locator(".cm-content")).to_contain_text("typed after it")
    outbox.get_by_text("What was sent").click()
    expect(outbox.locator("pre")).to_have_text("print('reloaded')")
    proxy.faults.stall = ""
    assert records(alice) == before, "it was sent without being asked"
    outbox.get_by_role("button", name="Send it").click()
    expect(outbox).to_contain_text("Your solution is sent.", timeout=SENT_WITHIN_MS)
    (record,) = records(alice) - before
    assert "reloaded" in alice.get(f"/records/{record}/")
    page.reload()
    expect(page.locator("#submit-form .outbox-words")).to_have_text("")


def test_what_the_server_refuses_by_then_is_said_in_its_words_and_the_text_stays(
    enter: Enter, proxy: FaultProxy, site: SiteProcess, alice: Visitor
) -> None:
    page = open_problem(enter)
    before = records(alice)
    grace = Visitor(site.url, "grace")
    outbox = submit_in_vain(page, proxy, "print('too late')")
    grace.submit("/staff/contests/demo/schedule/pause/", {"reason": ""})
    try:
        proxy.faults.stall = ""
        # It goes again by itself at any moment, and then there is no button any more.
        outbox.evaluate("box => box.querySelector('.outbox-try').click()")
        expect(outbox).to_contain_text("Not sent: The contest is paused", timeout=SENT_WITHIN_MS)
        expect(page.locator(".cm-content")).to_contain_text("print('too late')")
        assert records(alice) == before
    finally:
        grace.submit("/staff/contests/demo/schedule/resume/", {"reason": ""})
    assert_same_document(page)


def test_whoever_does_not_want_it_any_more_can_take_it_back(enter: Enter, proxy: FaultProxy, alice: Visitor) -> None:
    page = open_problem(enter)
    before = records(alice)
    outbox = submit_in_vain(page, proxy, "print('never')")
    outbox.get_by_role("button", name="Do not send").click()
    expect(outbox).to_contain_text(NOT_AGAIN)
    proxy.faults.stall = ""
    write_and_submit(page, "print('instead')")
    page.wait_for_url("**/records/*/")
    (record,) = records(alice) - before
    assert "instead" in alice.get(f"/records/{record}/")


def submit_for_long(page: Page, source: str) -> Locator:
    """So much that its answer is waited for while another tab is opened."""
    write_and_submit(page, f"{source}\n#{'-' * LONG_BYTES}")
    outbox = page.locator("#submit-form .outbox")
    expect(outbox).to_have_attribute("data-phase", "sending")
    return outbox


def take_back_in_another_tab(enter: Enter) -> Locator:
    """What that tab says of it."""
    other = enter("alice", PROBLEM)
    other.get_by_role("button", name="Do not send").click()
    outbox = other.locator("#submit-form .outbox")
    expect(outbox).to_contain_text(NOT_AGAIN)
    return outbox


def test_what_is_taken_back_in_another_tab_while_it_is_on_its_way_is_not_sent_again(
    enter: Enter, proxy: FaultProxy, alice: Visitor
) -> None:
    page = open_problem(enter)
    before, stalled = records(alice), proxy.counts.stalled
    proxy.faults.stall = SUBMIT
    outbox = submit_for_long(page, "print('taken back')")
    Watch(page).wait_until(lambda: proxy.counts.stalled > stalled, HAPPENS_WITHIN_S, "it is held up")
    take_back_in_another_tab(enter)
    expect(outbox).to_have_attribute("data-phase", "sending")
    expect(outbox).to_contain_text(f"Another page has taken it back, or has its answer. {NOT_AGAIN}")
    proxy.faults.stall = ""
    expect(outbox).to_have_attribute("data-phase", "dropped", timeout=HELD_WITHIN_MS + LONG_MS)
    assert records(alice) == before
    write_and_submit(page, "print('instead of it')")
    page.wait_for_url("**/records/*/")
    (record,) = records(alice) - before
    assert "instead of it" in alice.get(f"/records/{record}/")


def test_what_is_stored_although_another_tab_has_taken_it_back_is_told_by_both(enter: Enter, alice: Visitor) -> None:
    page = open_problem(enter)
    before = records(alice)
    on_its_way: list[Route] = []
    page.route(f"**{SUBMIT}", lambda route: on_its_way.append(route))
    outbox = submit_for_long(page, "print('too late to take back')")
    Watch(page).wait_until(lambda: on_its_way != [], HAPPENS_WITHIN_S, "it is on its way")
    other = take_back_in_another_tab(enter)
    expect(outbox).to_have_attribute("data-phase", "sending")
    assert records(alice) == before, "it had arrived before it was taken back"
    on_its_way[0].continue_()
    for said in (outbox, other):
        expect(said).to_contain_text("Your solution is sent.")
    (record,) = records(alice) - before
    for said in (outbox, other):
        expect(said.get_by_role("link", name="See it")).to_have_attribute("href", f"/records/{record}/")
    assert_same_document(page)
