"""What has to hold after every fault, in the words of the site's promises."""

from __future__ import annotations

from collections import Counter

from playwright.sync_api import Page

from e2e.harness.frames import FrameTap
from e2e.harness.jury import Jury
from e2e.harness.watch import Watch
from e2e.harness.windows import OPENS_WITHIN_S, SLACK_S

CATCHES_UP_WITHIN_S = 5.0
COUNTED_TO_MS = 250.0
"""The server settles four times a second. A report that it reads late is short by as much, and the next one is not."""


def is_not_live(state: str) -> bool:
    return state != "live"


def assert_live_within(page: Page, bound_s: float, since_ms: float | None = None) -> float:
    """The page and all its streams are live within `bound_s` of `since_ms` (now); the seconds it took.

    They must all be so at the same time, and "live" is what the page itself says. Seconds here and below are
    the page's own: those in which its timers ran (`Watch.stalled_ms`), so it has to be visible.
    """
    watch = Watch(page)
    since = watch.now_ms() if since_ms is None else since_ms
    watch.wait_until(lambda: _all_live(page), bound_s + SLACK_S, f"live again within {bound_s:.1f} s", since)
    last = [change.at_ms for change in watch.changes() if change.at_ms >= since]
    return _held_to(bound_s, watch.own_s(since, (max(last, default=since) - since) / 1000), watch)


def assert_live_soon(page: Page) -> float:
    """Live as soon as a page that was asked for just now; the seconds it took."""
    return assert_live_within(page, OPENS_WITHIN_S)


def assert_known_within(page: Page, bound_s: float, since_ms: float) -> float:
    """Every stream of the page says within `bound_s` of the fault that it is not live; the seconds of the last."""
    watch = Watch(page)
    names = watch.names()
    watch.wait_until(
        lambda: all(watch.first_after(name, since_ms, is_not_live) is not None for name in names),
        bound_s + SLACK_S,
        f"all of {names} know that the path is dead",
        since_ms,
    )
    last_ms = max(watch.first_after(name, since_ms, is_not_live) or 0.0 for name in names)
    return _held_to(bound_s, watch.own_s(since_ms, last_ms / 1000), watch)


def _held_to(bound_s: float, took_s: float, watch: Watch) -> float:
    """By the page's history: whoever looked may have been kept from it, and found all well too late."""
    assert took_s <= bound_s + SLACK_S, f"{took_s:.1f} s, not within {bound_s:.1f} s\n{watch.story()}"
    return took_s


def assert_honest_badge(page: Page, *, cut_ms: float, healed_ms: float, blind_s: float) -> None:
    """Between the fault and its end, nothing was called live for longer than the bound on blindness."""
    watch = Watch(page)
    for name in watch.names():
        live_s = watch.own_s(cut_ms, watch.was_live_ms(name, cut_ms, healed_ms) / 1000)
        assert live_s <= blind_s + SLACK_S, f"{name} was called live for {live_s:.1f} s of the fault\n{watch.story()}"


def assert_no_loss(page: Page, jury: Jury) -> None:
    """The notices on the screen of a contest's overview are those in force in the database, in their versions."""
    there = jury.notices_in_force()
    watch = Watch(page)
    watch.wait_until(
        lambda: notices_on(page) == there, CATCHES_UP_WITHIN_S, f"{notices_on(page)} on the screen, {there} in force"
    )


def assert_no_doubles(page: Page) -> None:
    """Nothing is on the screen twice, and no notice was said twice."""
    for container in ("#notice-list", "#alerts"):
        shown = page.locator(f"{container} [data-notice-id]").evaluate_all("all => all.map(e => e.dataset.noticeId)")
        assert len(shown) == len(set(shown)), f"twice in {container}: {shown}"
    rows = page.locator("[data-case-index]").evaluate_all("all => all.map(e => e.dataset.caseIndex)")
    assert len(rows) == len(set(rows)), f"a case is shown twice: {rows}"
    said = Counter(text for text in Watch(page).said() if text.startswith("Notice: "))
    assert [text for text, times in said.items() if times > 1] == [], "a notice was said twice"


def assert_all_time_counted(page: Page, tap: FrameTap, since: int, report_ms: int) -> None:
    """From the answered report number `since` until the last one, every moment counts.

    What a fault costs never comes back; what a busy server was late with is there with one of the next two reports.
    """
    uncounted_ms = [as_of_ms - counted_ms for as_of_ms, counted_ms in tap.settled()[: since + 1]]
    before_ms = min(uncounted_ms)

    def lost_ms() -> float:
        as_of_ms, counted_ms = tap.settled()[-1]
        return as_of_ms - counted_ms - before_ms

    within_s = 2 * report_ms / 1000 + SLACK_S
    Watch(page).wait_until(
        lambda: abs(lost_ms()) < COUNTED_TO_MS, within_s, f"all time counts: {lost_ms():.0f} ms do not"
    )


def notices_on(page: Page) -> dict[int, int]:
    """Id → version of the notices in the list of the page."""
    shown: list[tuple[int, int]] = page.locator("#notice-list [data-notice-id]").evaluate_all(
        "all => all.map(each => [Number(each.dataset.noticeId), Number(each.dataset.version)])"
    )
    return dict(shown)


def _all_live(page: Page) -> bool:
    streams: list[str] = page.locator("[data-stream]").evaluate_all("all => all.map((each) => each.dataset.state)")
    return page.locator("body").get_attribute("data-connection") == "live" and set(streams) == {"live"}
