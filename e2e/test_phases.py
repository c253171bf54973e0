"""Open pages follow the schedule: its end, its extension, the freeze, and what the jury may do after it."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from e2e.conftest import NewSite
from e2e.harness.pages import Person, open_live, submit
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
FOLLOWS_WITHIN_MS = 8_000


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
