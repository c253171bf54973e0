"""The start and the end of a contest bring all its pages to the server, but not all at once, and not into nothing."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from e2e.conftest import SCREEN, NewSite
from e2e.faults.conftest import Enter
from e2e.harness.assertions import assert_live_soon
from e2e.harness.fault_proxy import Door, FaultProxy
from e2e.harness.pages import OVERVIEW, PROBLEM
from e2e.harness.watch import Watch
from e2e.harness.windows import HAPPENS_WITHIN_S, SHORT
from tools.site_process import SiteProcess

MOVE = """
from datetime import timedelta
from django.utils import timezone
from contest.models import Contest, User
from contest.services.schedule import change_schedule
contest = Contest.objects.get(slug="demo")
change_schedule(contest, User.objects.get(username="grace"), starts_at=contest.starts_at,
    ends_at=timezone.now() + timedelta(seconds={seconds}), freeze_at=None)
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
CLICKED_WITHIN_S = 2.0
"""A page that has come back by itself meanwhile has nothing left to click on."""
STARTS_IN_S = 12
"""Two pages have to be there before, on a machine that is busy as well."""
AWAY_S = 4.0
"""After the start, until the server is back: longer than pages wait with coming."""
FOLLOWS_WITHIN_MS = 20_000
"""The longest wait between two tries, and twice the jitter of a page that reloads."""
DAY_S = 86_400
FIRES_AT_ONCE = "new Promise((done) => [2 ** 31, 1000].forEach((ms) => setTimeout(() => done(ms !== 1000), ms)))"
ENDS_IN_S = 9
NEAR_MS = 4_000
"""By then everybody has taken in that the end was moved."""
PAGES_EACH = 3
SPREAD_OVER_S = 0.3
"""Pages come over a second and a half, each at a moment drawn by lot: nine of them within half a second is what one
run in a thousand draws, within 0.3 s one in forty thousand."""
MOST_ASKED = 1
"""By one page, whose own clock and the server's event say the same."""


@pytest.fixture(scope="module")
def own_site(new_site: NewSite) -> SiteProcess:
    process = new_site(FATHOM_JUDGE_SLOTS="0", **SHORT.environment)
    process.start()
    return process


@pytest.fixture
def site(own_site: SiteProcess) -> SiteProcess:
    return own_site


def test_an_end_further_away_than_a_timer_can_wait_is_not_now(enter: Enter, site: SiteProcess) -> None:
    """A timer of more than 24.8 days fires at once in every browser."""
    page = enter("alice", OVERVIEW)
    assert_live_soon(page)
    assert page.evaluate(FIRES_AT_ONCE), "this browser can wait for longer"
    watch, far_ms = Watch(page), 39 * DAY_S * 1000
    since_ms = watch.now_ms()
    site.manage("shell", "-v", "0", "-c", MOVE.format(seconds=40 * DAY_S))
    remaining = "Number(document.querySelector('#contest-clock').dataset.remainingMs)"
    watch.wait_until(lambda: bool(page.evaluate(f"{remaining} > {far_ms}")), HAPPENS_WITHIN_S, "the page follows")
    page.evaluate("window.watch.ticks.length = 0")
    watch.wait_until(
        lambda: int(page.evaluate("window.watch.ticks.length")) >= 3, HAPPENS_WITHIN_S, "the countdown goes on"
    )
    # Once for the change itself, and once if the contest of this new site has begun just now; a timer that has come at
    # once would ask again and again.
    assert len(_asked_ms(page, since_ms)) <= 2, "the page believes that something has ended"
    expect(page.locator(".phase")).to_have_text("running")
    page.reload()
    assert_live_soon(page)
    assert page.evaluate(f"{remaining} > {far_ms}")
    expect(page.locator(".phase")).to_have_text("running")


def test_pages_stay_when_the_contest_starts_while_the_server_is_away_and_follow_the_start_afterwards(
    enter: Enter, site: SiteProcess, proxy: FaultProxy, browser: Browser
) -> None:
    site.manage("shell", "-v", "0", "-c", START.format(seconds=STARTS_IN_S))
    alice = enter("alice", OVERVIEW)
    # Not signed in, without a connection, and past the fault: told by nothing but its own clock.
    visitor = browser.new_context(viewport=SCREEN, base_url=site.url).new_page()
    visitor.goto(OVERVIEW)
    assert_live_soon(alice)
    for page in (alice, visitor):
        expect(page.locator("[data-clock-label]")).to_have_text("Starts in")
        page.evaluate("window.sameDocument = true")
    proxy.close_door(Door.REFUSE)
    assert proxy.reset_all() > 0 and proxy.is_refusing()
    for page in (alice, visitor):
        label = (page.locator("[data-clock-label]").text_content() or "").strip()
        assert label == "Starts in", "it has begun while the server was there"
    for page in (alice, visitor):
        expect(page.locator("[data-clock-label]")).to_have_text("Ends in", timeout=1_000 * (STARTS_IN_S + 2))
    alice.wait_for_timeout(AWAY_S * 1_000)  # the fault itself: the server is not there when all would come
    expect(alice.locator(".badge-text")).to_contain_text("not live")
    expect(alice.locator("[data-problem]")).to_have_count(0)
    assert alice.evaluate("window.sameDocument") is True, "the page is gone"
    alice.locator(".badge summary").click()
    Watch(alice).wait_for_a_pause(CLICKED_WITHIN_S)
    proxy.heal()
    alice.locator(".try-now").click()
    expect(alice.locator("[data-problem]").first).to_be_visible(timeout=FOLLOWS_WITHIN_MS)
    assert_live_soon(alice)
    expect(visitor.locator(".phase")).to_have_text("running")
    assert visitor.evaluate("window.sameDocument") is True, "a page without a connection was reloaded"
    visitor.context.close()


def test_pages_follow_the_end_by_themselves_spread_over_a_moment_and_once_each(enter: Enter, site: SiteProcess) -> None:
    people = ["alice", "bob", "carol"]
    pages = [enter(name, OVERVIEW) for name in people for _ in range(PAGES_EACH)]
    problem = enter("alice", PROBLEM)
    for page in [*pages, problem]:
        assert_live_soon(page)
    site.manage("shell", "-v", "0", "-c", MOVE.format(seconds=ENDS_IN_S))
    first = Watch(pages[0])
    remaining = "Number(document.querySelector('#contest-clock').dataset.remainingMs)"
    near = f"0 < {remaining} && {remaining} < {NEAR_MS}"
    first.wait_until(lambda: bool(pages[0].evaluate(near)), ENDS_IN_S + 5, "the end is near")
    since_ms = {page: Watch(page).now_ms() for page in pages}
    for page in [*pages, problem]:
        expect(page.locator("[data-clock-label]")).to_have_text("Over", timeout=15_000)
    expect(problem.locator("#submit-closed")).to_be_visible(timeout=8_000)
    for page in pages:
        expect(page.locator(".phase")).to_have_text("over", timeout=8_000)
    asked = [_asked_ms(page, from_ms) for page, from_ms in since_ms.items()]
    counts = [len(each) for each in asked]
    assert min(counts) >= 1, f"a page did not follow: {counts}"
    assert max(counts) <= MOST_ASKED, f"a page asked again and again: {counts}"
    firsts = sorted(each[0] for each in asked)
    assert firsts[-1] - firsts[0] > SPREAD_OVER_S * 1000, f"all at once: {firsts}"


def _asked_ms(page: Page, since_ms: float) -> list[float]:
    """The moments, on one clock for all pages, at which the scripts of `page` asked the server for something."""
    moments: list[float] = page.evaluate(
        """(sinceMs) => performance.getEntriesByType("resource")
            .filter((each) => each.initiatorType === "fetch" && each.startTime > sinceMs)
            .map((each) => performance.timeOrigin + each.startTime)""",
        since_ms,
    )
    return moments
