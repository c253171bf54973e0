"""What befalls records in tests of their streams, as the judge and the jury bring it about."""

from __future__ import annotations

from typing import Any

from channels.db import database_sync_to_async
from django.db import transaction
from django.utils import timezone

from contest.events import RecordFinished, RecordProgressed, RecordReopened, RecordSubmitted, publish
from contest.models import Contest, Problem, Record, RecordCase, User
from contest.models.queue import Status, Verdict
from realtime.tests.clients import Client, Sessions

LIST = "/ws/contests/cup/records"


@database_sync_to_async
def submit(contest: Contest, user: User) -> Record:
    problem = Problem.objects.select_related("package").get(contest=contest)
    assert problem.package is not None
    with transaction.atomic():
        record = Record.objects.create(
            contest=contest,
            problem=problem,
            package=problem.package,
            user=user,
            participation=contest.participations.filter(user=user).first(),
            language="cpp",
            source="int main() {}",
            source_sha256="0" * 64,
            queued_at=timezone.now(),
            submitted_at=timezone.now(),
            cases_total=2,
        )
        publish(RecordSubmitted(record))
    return record


def _case(record: Record, index: int, verdict: str) -> RecordCase:
    return RecordCase.objects.create(record=record, attempt=0, index=index, verdict=verdict, time_ms=5, memory_kb=1000)


@database_sync_to_async
def judge_case(record: Record, index: int, verdict: str = Verdict.AC) -> None:
    with transaction.atomic():
        record.status, record.cases_done = Status.RUNNING, index
        record.version += 1
        record.save()
        publish(RecordProgressed(record, (_case(record, index, verdict),)))


@database_sync_to_async
def finish(record: Record, verdict: str = Verdict.AC) -> None:
    with transaction.atomic():
        record.status, record.verdict, record.judged_at = Status.FINAL, verdict, timezone.now()
        record.version += 1
        record.save()
        publish(RecordFinished(record))


@database_sync_to_async
def reopen(record: Record) -> None:
    with transaction.atomic():
        record.status, record.verdict, record.judged_at = Status.QUEUED, "", None
        record.version += 1
        record.save()
        publish(RecordReopened(record))


async def enter(sessions: Sessions, path: str, user: User, client: str = "document-1", **hello: Any) -> Client:
    return await Client(path, await sessions.key_of(user), client=client).live(**hello)
