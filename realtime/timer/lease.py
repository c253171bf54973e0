"""Foreground time by lease: the rule of the timer as a function over state. Pure; see docs/protocol.md.

Accumulated time is the union, over pages, tabs and devices, of the foreground between two
consecutive reports of the same page at most one lease apart, cut to the time that counts. All
times are whole milliseconds on the database's clock, except `foreground_ms`, which a page counts
on its own monotonic clock and which can only lower the credit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

Interval = tuple[int, int]
"""[start, end)."""

REMEMBER_MS = 600_000
"""How long credited intervals are remembered, so that a report settled late cannot count twice. Longer
than the lease: a database may stall for minutes while pages go on reporting."""
REMEMBERED_INTERVALS = 64


@dataclass(frozen=True, slots=True)
class Page:
    """The last report of one document's timer stream; `arrived_ms` None: it has not reported yet."""

    client_seq: int = -1
    arrived_ms: int | None = None
    foreground: bool = False
    foreground_ms: int = 0
    clock_steps: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    client_seq: int
    arrived_ms: int
    foreground: bool
    foreground_ms: int


@dataclass(frozen=True, slots=True)
class Account:
    """One participation. `intervals` were credited, are apart and in order; nothing before
    `closed_before_ms` is credited any more, because what was credited there is forgotten."""

    accumulated_ms: int = 0
    intervals: tuple[Interval, ...] = ()
    closed_before_ms: int = 0
    clock_steps: int = 0


@dataclass(frozen=True, slots=True)
class Terms:
    """What a report is settled by: when time counts for this participation (apart, in order), the lease, the
    clock at settling, and how often that clock is known to have stepped so far."""

    windows: tuple[Interval, ...]
    lease_ms: int
    now_ms: int
    clock_steps: int = 0


class Outcome(Enum):
    REPEATED = "repeated"  # this report, or a later one, was settled before: nothing changes
    FIRST = "first"  # nothing to measure from: the first report, or the page was not in the foreground
    CREDITED = "credited"  # the time since the previous report counts, as far as the rule says
    GAP = "gap"  # more than a lease since the previous report: not counted, whatever the client says
    CLOCK = "clock"  # the database's clock stepped: counts as a first report


@dataclass(frozen=True, slots=True)
class Settled:
    """`finished`: credited intervals that the account remembers no longer, for its history."""

    account: Account
    page: Page
    outcome: Outcome
    credited_ms: int = 0
    finished: tuple[Interval, ...] = ()


def settle(account: Account, page: Page, report: Report, terms: Terms) -> Settled:
    """Apply one report. Numbered as in the rule:

    1. A `client_seq` not above the last one changes nothing at all.
    2. Foreground at the previous report, at most a lease ago: the interval from there, as long as the page's
       own clock grew, is credited where time counts and no other page was credited already.
    3. Otherwise nothing is credited.
    4. The report is stored.
    """
    if report.client_seq <= page.client_seq:
        return Settled(account, page, Outcome.REPEATED)
    before, account = account, _after_clock_step(account, terms)
    stored = Page(report.client_seq, report.arrived_ms, report.foreground, report.foreground_ms, terms.clock_steps)
    outcome = _judge(page, report, terms)
    if outcome is Outcome.CREDITED:
        for piece in within(_measured(page, report), terms.windows):
            account = credit(account, piece)
    kept = _forget(account, terms.now_ms)
    gained_ms = kept.accumulated_ms - before.accumulated_ms
    return Settled(kept, stored, outcome, gained_ms, _left_out(before, account, kept))


def _judge(page: Page, report: Report, terms: Terms) -> Outcome:
    if page.arrived_ms is None or not page.foreground:
        return Outcome.FIRST
    elapsed_ms = report.arrived_ms - page.arrived_ms
    if elapsed_ms < 0 or page.clock_steps != terms.clock_steps:
        return Outcome.CLOCK
    return Outcome.CREDITED if elapsed_ms <= terms.lease_ms else Outcome.GAP


def _measured(page: Page, report: Report) -> Interval:
    """From the previous report on, as long as the page's own clock grew, at most until this report."""
    assert page.arrived_ms is not None
    grew_ms = max(0, report.foreground_ms - page.foreground_ms)
    return page.arrived_ms, min(page.arrived_ms + grew_ms, report.arrived_ms)


def credit(account: Account, interval: Interval) -> Account:
    """`account` with the part of `interval` that was not credited before."""
    start, end = max(interval[0], account.closed_before_ms), interval[1]
    if start >= end:
        return account
    covered_ms = sum(max(0, min(end, b) - max(start, a)) for a, b in account.intervals)
    return replace(
        account,
        accumulated_ms=account.accumulated_ms + (end - start) - covered_ms,
        intervals=merged([*account.intervals, (start, end)]),
    )


def merged(intervals: list[Interval]) -> tuple[Interval, ...]:
    """The union of `intervals`: apart, in order."""
    found: list[Interval] = []
    for start, end in sorted(intervals):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return tuple(found)


def within(interval: Interval, windows: tuple[Interval, ...]) -> list[Interval]:
    """The parts of `interval` that lie in one of `windows`."""
    cut = [(max(interval[0], start), min(interval[1], end)) for start, end in windows]
    return [piece for piece in cut if piece[0] < piece[1]]


def _forget(account: Account, now_ms: int) -> Account:
    """Close what is so old, or so cut up, that it is remembered no longer. Intervals stay or go as a whole."""
    closed = max(account.closed_before_ms, now_ms - REMEMBER_MS)
    if len(account.intervals) > REMEMBERED_INTERVALS:
        closed = max(closed, account.intervals[-REMEMBERED_INTERVALS][0])
    kept = tuple(interval for interval in account.intervals if interval[1] > closed)
    return replace(account, intervals=kept, closed_before_ms=closed)


def _after_clock_step(account: Account, terms: Terms) -> Account:
    """Nothing that was credited by another clock is compared with this one.

    After a step that was seen, time counts anew from now on. One that nobody saw shows itself by
    intervals more than a lease ahead: they are dropped.
    """
    if account.clock_steps != terms.clock_steps:
        closed_ms = terms.now_ms if account.accumulated_ms else min(account.closed_before_ms, terms.now_ms)
        return replace(account, intervals=(), closed_before_ms=closed_ms, clock_steps=terms.clock_steps)
    horizon = terms.now_ms + terms.lease_ms
    if account.closed_before_ms <= horizon and all(end <= horizon for _, end in account.intervals):
        return account
    kept = tuple(interval for interval in account.intervals if interval[1] <= horizon)
    return replace(account, intervals=kept, closed_before_ms=min(account.closed_before_ms, terms.now_ms))


def _left_out(before: Account, credited: Account, kept: Account) -> tuple[Interval, ...]:
    """Intervals that are in neither form in `kept`: the clock's steps took them, or age did."""
    if before.intervals == kept.intervals:
        return ()
    stepped = [
        each for each in before.intervals if not any(a <= each[0] and each[1] <= b for a, b in credited.intervals)
    ]
    aged = [each for each in credited.intervals if each not in kept.intervals]
    return tuple(sorted([*stepped, *aged]))
