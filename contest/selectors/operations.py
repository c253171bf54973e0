"""What an operator wants to know of the judges and their queue."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Min, QuerySet

from contest.models import Contest, Record, SelfTestRun
from contest.models.queue import IS_FREE, IS_HELD, QueueClass, QueueItem, Status
from contest.presenters import Json


@dataclass(frozen=True)
class QueueState:
    """One class of the queue."""

    name: str
    waiting: int
    judging: int
    oldest: timedelta | None  # how long the first of those that wait has waited


@dataclass(frozen=True)
class Held:
    """What one judge holds, by its lease."""

    worker: str
    what: str
    problem: str
    language: str
    since: timedelta
    lease_left: timedelta
    attempt: int


@dataclass(frozen=True)
class Operations:
    queues: list[QueueState]
    held: list[Held]
    judge_errors: int  # in the last hour
    running: list[Contest]


def operations(now: datetime) -> Operations:
    """Six queries, whatever is going on."""
    records, runs = Record.objects.exclude(status=Status.FINAL), SelfTestRun.objects.exclude(status=Status.FINAL)
    return Operations(
        queues=[
            _queue("Submissions", records.filter(queue_class=QueueClass.LIVE), now),
            _queue("Self-tests", runs, now),
            _queue("Rejudging and package checks", records.filter(queue_class=QueueClass.BACKGROUND), now),
        ],
        held=_held(records, runs, now),
        judge_errors=Record.objects.filter(verdict="JE", judged_at__gte=now - timedelta(hours=1)).count(),
        running=list(Contest.objects.filter(starts_at__lte=now, ends_at__gt=now, archived_at=None).order_by("ends_at")),
    )


def _queue(name: str, rows: QuerySet[Record] | QuerySet[SelfTestRun], now: datetime) -> QueueState:
    found: Json = rows.aggregate(
        waiting=Count("pk", filter=IS_FREE),
        judging=Count("pk", filter=IS_HELD),
        oldest=Min("queued_at", filter=IS_FREE),
    )
    oldest = found["oldest"]
    return QueueState(name, found["waiting"], found["judging"], now - oldest if oldest else None)


def _held(records: QuerySet[Record], runs: QuerySet[SelfTestRun], now: datetime) -> list[Held]:
    of_records = [
        _as_held(row, f"record {row.pk}", f"{row.contest.slug}/{row.problem.label}", row.language, now)
        for row in records.filter(IS_HELD).select_related("contest", "problem").defer("source")
    ]
    of_runs = [
        _as_held(row, f"self-test {row.pk}", row.contest.slug, row.language, now)
        for row in runs.filter(IS_HELD).select_related("contest").defer("source", "stdin")
    ]
    return sorted([*of_records, *of_runs], key=lambda held: held.worker)


def _as_held(row: QueueItem, what: str, problem: str, language: str, now: datetime) -> Held:
    left = (row.lease_expires_at or now) - now
    return Held(row.worker, what, problem, language, now - row.queued_at, left, row.attempt)
