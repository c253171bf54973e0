"""What the jury changes about the times is on every open page within two seconds, in words; one's own extra time is
told to that one alone."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Page, expect

from e2e.conftest import NewSite
from e2e.harness.pages import Person, open_live
from e2e.harness.windows import SLACK_S
from tools.site_process import SiteProcess

WITHIN_MS = 1_000 * (2 + SLACK_S)
CLOCK_RIGHT_TO_MS = 250
"""As faults/test_clocks.py says it: a page may find out more exactly between two looks how late it is."""
SCHEDULE = "/staff/contests/demo/schedule/"


@pytest.fixture(scope="module")
def site(new_site: NewSite) -> SiteProcess:
    """A contest of its own: its times are moved about."""
    process = new_site()
    process.start()
    return process


def remaining_ms(page: Page) -> int:
    return int(page.locator("#contest-clock").get_attribute("data-remaining-ms") or 0)


@contextmanager
def extending(jury: Page, minutes: int) -> Iterator[float]:
    """By the form on the page of the schedule; the moment at which it was sent. At the end its answer is there."""
    jury.goto(SCHEDULE)
    form = jury.locator("form[action$='/schedule/extend/']")
    form.locator("[name=minutes]").fill(str(minutes))
    form.locator("[name=reason]").fill("power cut")
    with jury.expect_navigation():
        sent_at = time.monotonic()
        form.get_by_role("button").click(no_wait_after=True)
        yield sent_at


def since_ms(moment: float) -> float:
    return (time.monotonic() - moment) * 1000


def test_an_extension_is_seen_and_said_on_every_open_page_and_is_in_the_history(person: Person) -> None:
    alice, grace = person("alice"), person("grace")
    pages = [open_live(alice, "/contests/demo/")]
    pages += [open_live(alice.context.new_page(), f"/contests/demo/{path}") for path in ("problems/A/", "standings/")]
    pages[1].locator("#selftest-input").focus()
    before = [remaining_ms(page) for page in pages]
    with extending(grace, 15) as sent_at:
        for page in pages:
            expect(page.locator("#notes")).to_contain_text("extended the contest by 15 minutes", timeout=WITHIN_MS)
        assert since_ms(sent_at) < WITHIN_MS
    for page, earlier in zip(pages, before, strict=True):
        assert 14 * 60_000 < remaining_ms(page) - earlier <= 15 * 60_000 + CLOCK_RIGHT_TO_MS
        expect(page.locator("#notice-said")).to_have_text(re.compile("extended the contest by 15 minutes"))
    expect(pages[1].locator("#selftest-input")).to_be_focused()
    expect(grace.locator("#history-rows")).to_contain_text("power cut")


def test_extra_time_moves_the_clock_of_that_contestant_alone(person: Person) -> None:
    alice, bob, grace = person("alice"), person("bob"), person("grace")
    open_live(alice, "/contests/demo/problems/A/")
    open_live(bob, "/contests/demo/problems/A/")
    before = remaining_ms(alice), remaining_ms(bob)
    grace.goto("/staff/contests/demo/people/?text=alice")
    grace.locator("table.people").get_by_role("link").first.click()
    form = grace.locator("form[action$='/extra-time/']")
    form.locator("[name=minutes]").fill("10")
    form.locator("[name=reason]").fill("her keyboard broke")
    with grace.expect_navigation():
        form.get_by_role("button").click(no_wait_after=True)
        expect(alice.locator("#notes")).to_contain_text("given you 10 minutes of extra time", timeout=WITHIN_MS)
    assert 9 * 60_000 < remaining_ms(alice) - before[0] <= 10 * 60_000 + CLOCK_RIGHT_TO_MS
    with extending(grace, 1):
        expect(bob.locator("#notes")).to_contain_text("extended the contest by 1 minute", timeout=WITHIN_MS)
    expect(bob.locator("#notes")).not_to_contain_text("extra time")
    assert 0 < remaining_ms(bob) - before[1] <= 60_000 + CLOCK_RIGHT_TO_MS
    alice.reload()
    expect(alice.locator("body")).to_have_attribute("data-connection", "live")
    assert remaining_ms(alice) - remaining_ms(bob) > 9 * 60_000
    expect(alice.locator("#notes")).to_be_empty()


def test_a_pause_stops_the_clock_and_submitting_on_open_pages_until_it_goes_on(person: Person) -> None:
    alice, grace = person("alice"), person("grace")
    open_live(alice, "/contests/demo/problems/A/")
    alice.locator("#selftest-input").fill("typed")
    open_live(grace, SCHEDULE)
    grace.get_by_text("Pause …").click()
    grace.get_by_role("button", name="Pause it now").click()
    expect(alice.locator("#notes")).to_contain_text("paused the contest", timeout=WITHIN_MS)
    expect(alice.locator("[data-clock-label]")).to_have_text("Paused,")
    expect(alice.get_by_role("button", name="Submit")).to_be_hidden()
    expect(alice.locator("#submit-closed")).to_contain_text("paused")
    stands_at = remaining_ms(alice)
    alice.reload()
    expect(alice.locator("body")).to_have_attribute("data-connection", "live")
    assert remaining_ms(alice) == stands_at
    expect(alice.locator("#submit-form")).to_be_visible()
    gone_on_at = time.monotonic()
    grace.get_by_role("button", name="Let it go on").click()
    expect(alice.locator("#notes")).to_contain_text("The contest goes on", timeout=WITHIN_MS)
    expect(alice.get_by_role("button", name="Submit")).to_be_visible()
    passed_ms = stands_at - remaining_ms(alice)
    assert -CLOCK_RIGHT_TO_MS < passed_ms < since_ms(gone_on_at) + CLOCK_RIGHT_TO_MS


def test_a_change_between_two_pages_is_told_by_the_second(person: Person) -> None:
    alice, grace = person("alice"), person("grace")
    open_live(alice, "/contests/demo/")
    alice.goto("about:blank")
    with extending(grace, 5):
        pass
    open_live(alice, "/contests/demo/standings/")
    expect(alice.locator("#notes")).to_contain_text("extended the contest by 5 minutes")
