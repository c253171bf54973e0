"""Open pages follow the schedule: its end, its extension, the freeze, and what the jury may do after it."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from playwright.sync_api import Browser, Route, expect

from e2e.conftest import NewSite
from e2e.harness.pages import PROBLEM, Person, open_live, submit
from e2e.harness.programs import RIGHT
from tools.site_process import SiteProcess

MOVE = """
from datetime import timedelta
from django.utils import timezone
from contest.models import Contest, User
from contest.services.schedule import change_schedule
now, contest = timezone.now(), Contest.objects.get(slug="demo")
change_schedule(contest, User.objects.get(username="grace"), starts_at=contest.starts_at,
    ends_at=now + timedelta(seconds={end_s}), freeze_at={freeze})
"""
START = """
from datetime import timedelta
from django.utils import timezone
from contest.models import Contest, User
from contest.services.schedule import change_schedule
now = timezone.now()
change_schedule(Contest.objects.get(slug="demo"), User.objects.get(username="grace"),
    starts_at=now + timedelta(seconds={seconds}), ends_at=now + timedelta(hours=3), freeze_at=None)
"""
STARTS_IN_S = 2
FOLLOWS_WITHIN_MS = 8_000
ASKS_AGAIN_WITHIN_MS = 15_000
"""Ten seconds after a failure, and a moment of its own."""


@pytest.fixture(scope="module")
def site(new_site: NewSite) -> SiteProcess:
    """A contest of its own: its schedule is moved about."""
    process = new_site()
    process.start()
    return process


def move(site: SiteProcess, *, end_s: int, freeze_s: int | None = None) -> None:
    """Let the contest end `end_s` from now, and freeze `freeze_s` from now."""
    freeze = "None" if freeze_s is None else f"now + timedelta(seconds={freeze_s})"
    site.manage("shell", "-c", MOVE.format(end_s=end_s, freeze=freeze))


def test_open_pages_follow_the_end_and_the_extension_of_a_contest(person: Person, site: SiteProcess) -> None:
    overview = open_live(person("alice"), "/contests/demo/")
    problem = open_live(overview.context.new_page(), "/contests/demo/problems/A/")
    console = open_live(person("grace"), "/staff/contests/demo/")
    problem.locator("#selftest-input").fill("typed")
    expect(overview.locator(".phase")).to_have_text("running")
    expect(console.get_by_role("button", name="Close the contest")).to_have_count(0)
    move(site, end_s=0)
    expect(overview.locator(".phase")).to_have_text("over", timeout=FOLLOWS_WITHIN_MS)
    expect(problem.locator("#submit-closed")).to_be_visible(timeout=FOLLOWS_WITHIN_MS)
    expect(problem.get_by_role("button", name="Submit")).to_be_hidden()
    expect(problem.locator("#selftest-input")).to_have_value("typed")
    expect(console.locator("#schedule-actions")).to_contain_text("Close the contest", timeout=FOLLOWS_WITHIN_MS)
    late = open_live(overview.context.new_page(), "/contests/demo/problems/B/")
    expect(late.locator("#submit-form")).to_have_count(0)
    move(site, end_s=3600)
    expect(overview.locator(".phase")).to_have_text("running", timeout=FOLLOWS_WITHIN_MS)
    expect(problem.locator("#submit-closed")).to_be_hidden(timeout=FOLLOWS_WITHIN_MS)
    expect(problem.get_by_role("button", name="Submit")).to_be_visible()
    expect(late.locator("#submit-form")).to_be_visible(timeout=FOLLOWS_WITHIN_MS)
    expect(console.get_by_role("button", name="Close the contest")).to_have_count(0, timeout=FOLLOWS_WITHIN_MS)


def test_open_standings_say_when_they_freeze_and_count_attempts_while_frozen(person: Person, site: SiteProcess) -> None:
    board, bob = person("alice"), person("bob")
    move(site, end_s=3600)
    open_live(board, "/contests/demo/standings/")
    state = board.locator("#standings-state")
    live = board.locator("#standings-live")
    expect(live).to_have_text("Follows live.")
    expect(live).to_be_visible()
    expect(state).to_be_empty()
    move(site, end_s=3600, freeze_s=600)
    expect(state).to_contain_text("until the standings freeze", timeout=FOLLOWS_WITHIN_MS)
    move(site, end_s=3600, freeze_s=0)
    expect(state).to_contain_text("Frozen since", timeout=FOLLOWS_WITHIN_MS)
    expect(board.locator("[data-mark=pending] .top")).to_have_count(0)
    submit(bob, RIGHT)
    expect(board.locator("#standings [data-mark=pending] .top")).to_have_text("?1", timeout=FOLLOWS_WITHIN_MS)
    move(site, end_s=3600)
    expect(state).to_be_empty(timeout=FOLLOWS_WITHIN_MS)


def test_live_standings_that_cannot_be_had_say_of_when_they_are_until_they_can(
    person: Person, site: SiteProcess
) -> None:
    move(site, end_s=3600)
    board = open_live(person("alice"), "/contests/demo/standings/")
    age, live, silent = (board.locator(f"#standings-{name}") for name in ("age", "live", "silent"))
    expect(live).to_be_visible()
    table = board.locator("#standings").inner_text()
    refused: list[datetime] = []

    def refuse(route: Route) -> None:
        refused.append(datetime.now(UTC))
        route.fulfill(status=503, body="busy")

    board.route("**/standings/?part=table", refuse)
    submit(person("carol"), RIGHT)
    expect(silent).to_be_visible(timeout=FOLLOWS_WITHIN_MS)
    assert refused, "the newer table was not asked for"
    assert board.locator("#standings").inner_text() == table
    expect(board.locator("body")).to_have_attribute("data-connection", "live")
    expect(live).to_be_hidden()
    made = age.locator("time").get_attribute("datetime") or ""
    assert datetime.fromisoformat(made) <= refused[0], "the time is that of a table that was not had"
    board.unroute("**/standings/?part=table")
    expect(live).to_be_visible(timeout=ASKS_AGAIN_WITHIN_MS)
    expect(silent).to_be_hidden()
    expect(age).to_be_hidden()
    assert board.locator("#standings").inner_text() != table


def test_public_standings_follow_seldom_and_say_of_when_they_are(
    person: Person, browser: Browser, site: SiteProcess
) -> None:
    move(site, end_s=3600)
    with browser.new_context(base_url=site.url) as visitor:
        board = visitor.new_page()
        board.clock.install()
        board.goto("/contests/demo/standings/")
        age, live, silent = (board.locator(f"#standings-{name}") for name in ("age", "live", "silent"))
        expect(age).to_have_text(re.compile(r"As of \d\d:\d\d:\d\d\."))
        expect(live).to_be_hidden()
        expect(board.locator("#standings thead a")).to_have_count(0)
        table, first = board.locator("#standings table"), age.text_content() or ""
        version = table.get_attribute("data-version") or ""
        submit(person("alice"), RIGHT)
        board.clock.fast_forward(15_000)
        expect(table).not_to_have_attribute("data-version", version, timeout=FOLLOWS_WITHIN_MS)
        expect(age).not_to_have_text(first)
        expect(silent).to_be_hidden()
        visitor.set_offline(True)
        board.clock.fast_forward(15_000)
        expect(silent).to_be_visible(timeout=FOLLOWS_WITHIN_MS)
        visitor.set_offline(False)
        board.clock.fast_forward(15_000)
        expect(silent).to_be_hidden(timeout=FOLLOWS_WITHIN_MS)
        expect(live).to_be_hidden()


def test_at_the_start_a_page_is_not_reloaded_over_what_somebody_types_in_the_editor_and_says_so(
    person: Person, site: SiteProcess
) -> None:
    move(site, end_s=3600)
    typing = open_live(person("alice"), PROBLEM)
    reading = open_live(typing.context.new_page(), PROBLEM)
    for page in (typing, reading):
        expect(page.locator("#editor")).to_be_visible()
        page.evaluate("window.sameDocument = true")
    typing.bring_to_front()
    typing.locator(".cm-content").click()
    typing.keyboard.type("int main")
    site.manage("shell", "-c", START.format(seconds=STARTS_IN_S))
    note = typing.locator("#notes [data-kind=stayed]")
    expect(note).to_contain_text("The contest is open now.", timeout=1_000 * STARTS_IN_S + FOLLOWS_WITHIN_MS)
    reading.wait_for_function("() => window.sameDocument === undefined")  # everybody else's is
    typing.keyboard.type("()")
    expect(typing.locator(".cm-content")).to_have_text("int main()")
    assert typing.evaluate("window.sameDocument") is True, "it was reloaded"
    note.get_by_role("link", name="Reload it").click()
    typing.wait_for_function("() => window.sameDocument === undefined")
    expect(typing.locator(".cm-content")).to_have_text("int main()")
