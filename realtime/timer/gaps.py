"""From counted time to what was not counted and why. Pure; nothing here is stored, all of it is computed.

Gaps are what is left of the contest's windows. Pages that came back said why they had been away
(`absences`), and the site knows when it was itself to blame (`outages`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from contest.rules.own_time import Gap, Reason, Stretch
from realtime.timer.absences import SHORT_MS, Absence, Last, Why, lengthen
from realtime.timer.lease import Interval, merged, within
from realtime.timer.outages import BACK_AFTER_MS, Kind, Outage

_CAUSES = {
    "offline": Reason.OFFLINE,
    "slept": Reason.SLEPT,
    "probe-timeout": Reason.PROBE,
    "report-timeout": Reason.PROBE,
    "handshake-timeout": Reason.PROBE,
}
_BY_SITE = {Kind.NODE: Reason.NODE, Kind.STALL: Reason.STALL, Kind.DATABASE: Reason.DATABASE}
_SILENT = ("", "first", "page")
"""Causes in a hello that tell nothing about the connection before it."""


def timeline(
    stretches: Iterable[Stretch], newest: Stretch | None, intervals: Iterable[Interval]
) -> tuple[Stretch, ...]:
    """All counted time of a participation, oldest first: what is history, what becomes so, what is still remembered."""
    last, complete = lengthen(newest, sorted(intervals))
    found = [*stretches, *complete, *([last] if last else [])]
    return tuple(sorted(found, key=lambda each: each.starts_ms))


def find_gaps(
    windows: Sequence[Interval],
    stretches: Sequence[Stretch],
    absences: Sequence[Absence],
    outages: Sequence[Outage],
    last: Last,
    *,
    now_ms: int,
    lease_ms: int,
) -> tuple[Gap, ...]:
    """Every stretch of the windows up to now that was not counted, but for interruptions shorter than `SHORT_MS`."""
    counted = merged([(each.starts_ms, each.ends_ms) for each in stretches])
    found = []
    for gap in _uncounted(_until(windows, now_ms), counted):
        is_open = gap[1] == now_ms
        if gap[1] - gap[0] < SHORT_MS or (is_open and _may_be_settled_yet(gap[0], now_ms, lease_ms, last)):
            continue
        told = _best(gap, absences) or (_heard_last(gap, last) if is_open else None)
        is_first = not counted or gap[1] <= counted[0][0]
        if told is None:
            found.append(Gap(*gap, Reason.ABSENT if is_first else Reason.UNKNOWN, is_open=is_open))
            continue
        before = _before_the_first_word(gap, told, absences) if is_first else None
        if before is not None:
            found.append(before)
            gap = (before.ends_ms, gap[1])
        found.append(_explained(gap, told, outages, is_open=is_open))
    return tuple(found)


def _before_the_first_word(gap: Interval, told: Absence, absences: Sequence[Absence]) -> Gap | None:
    """Of a gap before anything was counted, the part in which no page had said anything: what became of a page that
    was opened later explains nothing of it. Nobody tells since when a page that was first heard of while hidden had
    been open, but that none was in front is true before it, too."""
    first = min([told, *_fitting(gap, absences)], key=lambda each: each.starts_ms)
    if told.why is Why.HIDDEN or first.starts_ms - gap[0] < SHORT_MS:
        return None
    return Gap(gap[0], first.starts_ms, Reason.HIDDEN if first.why is Why.HIDDEN else Reason.ABSENT)


def _until(windows: Sequence[Interval], now_ms: int) -> list[Interval]:
    return [(start, min(end, now_ms)) for start, end in windows if start < now_ms]


def _uncounted(windows: Sequence[Interval], counted: Sequence[Interval]) -> list[Interval]:
    found = []
    for start, end in windows:
        at = start
        for a, b in within((start, end), tuple(counted)):
            found.append((at, a))
            at = b
        found.append((at, end))
    return [(start, end) for start, end in found if start < end]


def _may_be_settled_yet(start_ms: int, now_ms: int, lease_ms: int, last: Last) -> bool:
    """Time since the last report of a page in front counts with its next report, if that comes within the lease."""
    return last.foreground and last.arrived_ms is not None and now_ms - max(start_ms, last.arrived_ms) <= lease_ms


def _explained(gap: Interval, told: Absence, outages: Sequence[Outage], *, is_open: bool) -> Gap:
    if told.why is Why.HIDDEN:
        return Gap(*gap, Reason.HIDDEN, is_open=is_open)
    blamed = [each for each in outages if each.kind in _BY_SITE and each.concerns(told.node) and _blame(gap, each)]
    reason = _reason_of(blamed[0]) if blamed else _own_reason(told.why, told.cause)
    by_site = merged([piece for each in blamed for piece in _blame(gap, each)])
    return Gap(*gap, reason, by_site, is_open)


def _heard_last(gap: Interval, last: Last) -> Absence | None:
    """No page has come back yet; what is known is what was heard last."""
    if last.arrived_ms is None:
        return None
    since_ms = max(gap[0], last.arrived_ms)
    return Absence(since_ms, gap[1], Why.LOST if last.foreground else Why.HIDDEN, "", last.node)


def _best(gap: Interval, absences: Sequence[Absence]) -> Absence | None:
    """Of what pages said, the one that fits the gap best: another tab may have been hidden for hours."""
    fitting = _fitting(gap, absences)
    best = min(fitting, key=lambda each: abs(each.starts_ms - gap[0]) + abs(each.ends_ms - gap[1]), default=None)
    if best is None or best.why not in (Why.SHORT, Why.LOST) or best.cause not in _SILENT:
        return best
    return _only_late(best, [each for each in fitting if each.why is Why.LATE])


def _only_late(told: Absence, late: Sequence[Absence]) -> Absence:
    """Reports that came late look like a page that stood still until later ones show it: `late`, one a report that
    was held. They explain what they make up at least half of."""
    proven_ms = sum(each.ends_ms - each.starts_ms for each in late)
    return late[-1] if late and 2 * proven_ms >= told.ends_ms - told.starts_ms else told


def _fitting(gap: Interval, absences: Sequence[Absence]) -> list[Absence]:
    return [each for each in absences if each.starts_ms < gap[1] and each.ends_ms > gap[0]]


def _blame(gap: Interval, outage: Outage) -> list[Interval]:
    """The part of `gap` that `outage` explains, with the time that pages need to be back."""
    return within(gap, ((outage.starts_ms, outage.ends_ms + BACK_AFTER_MS),))


def _reason_of(outage: Outage) -> Reason:
    return Reason.DRAIN if outage.is_planned else _BY_SITE[outage.kind]


def _own_reason(why: Why, cause: str) -> Reason:
    if why is Why.CLOCK:
        return Reason.CLOCK
    if cause in _CAUSES:
        return _CAUSES[cause]
    if why in (Why.SHORT, Why.LATE):
        return Reason.UNCONFIRMED if why is Why.SHORT else Reason.LATE
    return Reason.UNKNOWN if cause in _SILENT else Reason.CONNECTION


def measure(intervals: Iterable[Interval]) -> int:
    """How much time they cover, each moment once."""
    return sum(end - start for start, end in merged(list(intervals)))
