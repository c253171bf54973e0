"""What a report tells about time that was not counted before it, and how counted intervals become history. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from contest.rules.own_time import Stretch
from realtime.timer.lease import Interval, Outcome, Page, Report

SHORT_MS = 5_000
"""Shorter interruptions (going from page to page, mostly) are summed up and not told one by one."""


class Why(StrEnum):
    HIDDEN = "hidden"  # the page itself said that it was not in front any more
    LOST = "lost"  # in front when last heard of, and back only after more than a lease
    SHORT = "short"  # reports came, but the page's own clock confirms less: asleep, frozen, or hidden unsaid
    LATE = "late"  # the page has caught up: what seemed too little before had only been under way for long
    CLOCK = "clock"  # the database's clock stepped


@dataclass(frozen=True, slots=True)
class Last:
    """The last report of any page of a participation, and the node that took it."""

    arrived_ms: int | None = None
    foreground: bool = False
    node: str = ""


@dataclass(frozen=True, slots=True)
class Absence:
    starts_ms: int
    ends_ms: int
    why: Why
    cause: str
    node: str


def absence_before(last: Last, page: Page, report: Report, outcome: Outcome, cause: str) -> Absence | None:
    """Why time before `report` was not counted, where the report shows it. `cause` is that of the page's hello."""
    late = _caught_up(page, report, outcome)
    if late is not None:
        return Absence(*late, Why.LATE, cause, last.node)
    span = _span(last, page, report, outcome)
    if span is None or span[1] - span[0] < SHORT_MS:
        return None
    return Absence(*span, _why(last, page, outcome), cause, last.node)


def _caught_up(page: Page, report: Report, outcome: Outcome) -> Interval | None:
    """For how long the report before this one was late, at least. No page is in front for longer than time passes:
    one whose clock grew by more than the time between two arrivals shows that the first had been held on its way.
    """
    if outcome is not Outcome.CREDITED or page.arrived_ms is None:
        return None
    ahead_ms = report.foreground_ms - page.foreground_ms - (report.arrived_ms - page.arrived_ms)
    return (page.arrived_ms - ahead_ms, page.arrived_ms) if ahead_ms >= SHORT_MS else None


def _span(last: Last, page: Page, report: Report, outcome: Outcome) -> Interval | None:
    if outcome is Outcome.REPEATED:
        return None
    if page.arrived_ms is None:  # a new document: what is known is what the one before it said
        return (last.arrived_ms, report.arrived_ms) if last.arrived_ms is not None and report.foreground else None
    if outcome is Outcome.FIRST:
        return (page.arrived_ms, report.arrived_ms) if report.foreground else None
    if outcome is Outcome.CREDITED:
        confirmed_ms = max(0, report.foreground_ms - page.foreground_ms)
        return page.arrived_ms + confirmed_ms, report.arrived_ms
    return page.arrived_ms, report.arrived_ms


def _why(last: Last, page: Page, outcome: Outcome) -> Why:
    if outcome is Outcome.CLOCK:
        return Why.CLOCK
    if outcome is Outcome.CREDITED:
        return Why.SHORT
    foreground = last.foreground if page.arrived_ms is None else page.foreground
    return Why.LOST if foreground else Why.HIDDEN


def lengthen(stretch: Stretch | None, finished: Iterable[Interval]) -> tuple[Stretch | None, list[Stretch]]:
    """The newest stretch after `finished` intervals have come to it, and the stretches that are complete with that."""
    complete: list[Stretch] = []
    for start, end in finished:
        if stretch is not None and 0 <= start - stretch.ends_ms < SHORT_MS:
            stretch = Stretch(stretch.starts_ms, end, stretch.counted_ms + end - start)
            continue
        if stretch is not None:
            complete.append(stretch)
        stretch = Stretch(start, end, end - start)
    return stretch, complete
