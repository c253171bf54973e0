"""A solution that is sent into a broken path stays on its page, says so, and ends as one record or in words."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from e2e.faults.conftest import Enter
from e2e.harness.assertions import assert_live_within
from e2e.harness.carrying import Direction
from e2e.harness.fault_proxy import Door, FaultProxy
from e2e.harness.jury import Visitor
from e2e.harness.pages import PROBLEM
from e2e.harness.solving import assert_same_document, open_problem, records, write, write_and_submit
from e2e.harness.windows import HAPPENS_WITHIN_S, SHORT
from tools.site_process import SiteProcess

SUBMIT = f"{PROBLEM}submit/"
NOT_CONFIRMED = re.compile("Your solution is not confirmed: the site (has not answered|cannot be reached)")
HELD_WITHIN_MS = SHORT.probe_ms + HAPPENS_WITHIN_S * 1_000
"""The probe's time, and what a browser needs to give up."""
SENT_WITHIN_MS = 1_000 * (SHORT.back_within_s + 1 + HAPPENS_WITHIN_S)
"""The page is live again, waits for its moment within a second, and sends."""


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
    expect(outbox).to_contain_text("It is not sent again. It may have arrived before")
    proxy.faults.stall = ""
    write_and_submit(page, "print('instead')")
    page.wait_for_url("**/records/*/")
    (record,) = records(alice) - before
    assert "instead" in alice.get(f"/records/{record}/")
