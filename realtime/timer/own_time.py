"""Own time as it is told: rows of the timer and of the site's outages, put together. For pages: `contest.ports`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from django.conf import settings
from django.db.models import Q

from contest.models import Contest, Participation, Record
from contest.rules.own_time import OwnTime, Stretch
from contest.rules.phases import milliseconds
from realtime.models import NodeRun, TimerAbsence, TimerAccount, TimerStretch
from realtime.models import Outage as OutageRow
from realtime.timer.absences import Absence, Last, Why
from realtime.timer.clock import read_clock
from realtime.timer.forgetting import KEPT
from realtime.timer.gaps import find_gaps, measure, timeline
from realtime.timer.lease import Interval, merged, within
from realtime.timer.outages import Kind, Outage, Run, downtimes
from realtime.timer.rows import windows_of

T = TypeVar("T")


@dataclass(frozen=True)
class _Found:
    """What was read for a few participations, by participation."""

    accounts: dict[int, TimerAccount]
    stretches: dict[int, list[Stretch]]
    absences: dict[int, list[Absence]]
    records: dict[int, list[Interval]]
    outages: list[Outage]
    now_ms: int


def read_own_times(contest: Contest, participations: Sequence[Participation]) -> dict[int, OwnTime]:
    """Participation id → own time, by a few queries for all of them."""
    found = _read(contest, participations)
    for each in participations:
        each.contest = contest
    return {each.pk: _own_time(each, found) for each in participations}


def _read(contest: Contest, participations: Sequence[Participation]) -> _Found:
    keys = [each.pk for each in participations]
    now_ms = read_clock().database_ms
    extra_time_s = max((each.extra_time_s for each in participations), default=0)
    last_end_ms = milliseconds(contest.ends_at) + extra_time_s * 1000
    outages = read_outages(milliseconds(contest.starts_at), last_end_ms, now_ms)
    waited = any(each.kind is Kind.JUDGE for each in outages)
    return _Found(
        accounts=TimerAccount.objects.in_bulk(keys),
        stretches=_grouped(
            (row.participation_id, Stretch(row.starts_ms, row.ends_ms, row.counted_ms))
            for row in TimerStretch.objects.filter(participation__in=keys)
        ),
        absences=_grouped(
            (row.participation_id, Absence(row.starts_ms, row.ends_ms, Why(row.why), row.cause, row.node))
            for row in TimerAbsence.objects.filter(participation__in=keys)
        ),
        records=_read_waits(keys if waited else [], now_ms),
        outages=outages,
        now_ms=now_ms,
    )


def _grouped(rows: Iterable[tuple[int, T]]) -> dict[int, list[T]]:
    found: dict[int, list[T]] = defaultdict(list)
    for key, value in rows:
        found[key].append(value)
    return found


def _read_waits(keys: Sequence[int], now_ms: int) -> dict[int, list[Interval]]:
    """Participation → from submission to verdict, of each of its records."""
    rows = Record.objects.filter(participation__in=keys).values_list("participation_id", "submitted_at", "judged_at")
    return _grouped(
        (key, (milliseconds(submitted_at), milliseconds(judged_at) if judged_at else now_ms))
        for key, submitted_at, judged_at in rows
    )


def read_outages(start_ms: int, end_ms: int, now_ms: int) -> list[Outage]:
    """All outages that reach beyond `start_ms` and began before `end_ms`, oldest first; what comes after `end_ms` is
    not looked at, so the last one may be told as longer than it was."""
    heard = Q(beat_ms__gte=start_ms) | Q(stopped_ms__gte=start_ms)
    runs = [
        Run(row.node, row.started_ms, row.beat_ms, row.stopped_ms)
        for row in NodeRun.objects.filter(heard, started_ms__lte=end_ms)
    ]
    noted = [
        Outage(Kind(row.kind), row.node, row.starts_ms, row.ends_ms)
        for row in OutageRow.objects.filter(ends_ms__gte=start_ms, starts_ms__lte=end_ms)
    ]
    down = [each for each in downtimes(runs, now_ms) if each.starts_ms <= end_ms]
    return sorted([*down, *noted], key=lambda each: each.starts_ms)


def _own_time(participation: Participation, found: _Found) -> OwnTime:
    key = participation.pk
    account = found.accounts.get(key) or TimerAccount()
    windows = _told_windows(participation, found.stretches[key])
    newest = Stretch(*account.stretch) if account.stretch else None
    stretches = timeline(found.stretches[key], newest, ((start, end) for start, end in account.intervals))
    gaps = find_gaps(
        windows,
        stretches,
        found.absences[key],
        found.outages,
        Last(account.last_ms, account.last_foreground, account.last_node),
        now_ms=found.now_ms,
        lease_ms=settings.FATHOM.timings.lease_ms,
    )
    waits = _waits(found.records[key], found.outages, windows)
    cut_off = [piece for gap in gaps for piece in gap.by_site]
    return OwnTime(account.accumulated_ms, stretches, gaps, waits, measure([*cut_off, *waits]))


def _told_windows(participation: Participation, history: Sequence[Stretch]) -> tuple[Interval, ...]:
    """When time counts, but for what lies before a history of which the oldest part was forgotten."""
    windows = windows_of(participation)
    if len(history) < KEPT:
        return windows
    since_ms = min(each.starts_ms for each in history)
    return tuple(piece for window in windows for piece in within(window, ((since_ms, window[1]),)))


def _waits(
    records: Sequence[Interval], outages: Sequence[Outage], windows: tuple[Interval, ...]
) -> tuple[Interval, ...]:
    """When at least one of the records waited although no judge worked."""
    down = tuple((each.starts_ms, each.ends_ms) for each in outages if each.kind is Kind.JUDGE)
    waited = [piece for record in records for piece in within(record, down)]
    return merged([piece for each in waited for piece in within(each, windows)])
