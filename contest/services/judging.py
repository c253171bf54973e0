"""What a judge writes about a record: claimed, running, cases, final, or given back.

Each function is one transaction: rows and event together. Every write is conditional on the claim; what
an older attempt says raises `LeaseLost` and changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.db import models, transaction
from django.db.models import F
from django.db.models.functions import Coalesce, Greatest
from django.utils import timezone

from contest.events import RecordFinished, RecordProgressed, RecordReopened, publish
from contest.models import Record, RecordCase
from contest.models.queue import QueueClass, Status, Verdict
from contest.services.queue import LEASE_S, LOST_LEASES_LIMIT, Claim, claim_next, lease_end, waiting
from contest.services.standings import touch_standings
from contest.services.turns import in_turns

RecordClaim = Claim[Record]


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One judged case. Times in ms of CPU, memory in KiB; `message` is for the contestant."""

    index: int
    verdict: str
    time_ms: int
    memory_kb: int
    score: float | None = None
    message: str = ""


@dataclass(frozen=True, slots=True)
class Final:
    """What a record comes to. `staff_message` says what a judge error was."""

    verdict: str
    score: float | None = None
    group_scores: dict[str, float] = field(default_factory=dict)
    compiler_output: str | None = None
    staff_message: str = ""


def claim_record(
    worker: str, queue_class: QueueClass, *, languages: Sequence[str] | None = None, lease_s: float = LEASE_S
) -> tuple[RecordClaim, Record] | None:
    """Claim the next record of a class and announce that it is being compiled.

    `languages`: only those that this worker has. With live submissions people take turns; rejudging goes by age.
    """
    rows = Record.objects.filter(queue_class=queue_class)
    if languages is not None:
        rows = rows.filter(language__in=languages)
    order = in_turns if queue_class == QueueClass.LIVE else waiting
    return claim_next(rows, worker, lease_s, _begin, _set_aside, order)


def running(claim: RecordClaim, *, cases_total: int, compiler_output: str = "", lease_s: float = LEASE_S) -> None:
    """It compiled; `compiler_output` are warnings."""
    with transaction.atomic():
        claim.write(
            status=Status.RUNNING,
            cases_total=cases_total,
            compiler_output=compiler_output,
            lease_expires_at=lease_end(lease_s),
        )
        publish(RecordProgressed(_load(claim)))


def cases_finished(claim: RecordClaim, results: Sequence[CaseResult], *, lease_s: float = LEASE_S) -> None:
    """Some more cases, in one write: the caller collects what comes within a tenth of a second."""
    with transaction.atomic():
        _take_in(claim, results)
        claim.write(lease_expires_at=lease_end(lease_s))
        publish(RecordProgressed(_load(claim), _cases(claim, results)))


def finish(claim: RecordClaim, final: Final, results: Sequence[CaseResult] = ()) -> None:
    """The record is final, with its last cases."""
    changes = {} if final.compiler_output is None else {"compiler_output": final.compiler_output}
    with transaction.atomic():
        _take_in(claim, results)
        claim.write(
            status=Status.FINAL,
            verdict=final.verdict,
            score=final.score,
            group_scores=final.group_scores,
            staff_message=final.staff_message,
            judged_at=timezone.now(),
            lease_expires_at=None,
            **changes,
        )
        _tell_finished(_load(claim), _cases(claim, results))


def give_back(claim: RecordClaim, *, failure: str = "") -> None:
    """Not finished: the worker stops, or could not do it (`failure` says why). It goes to its old place.

    What was judged so far is thrown away: the next attempt starts from the beginning.
    """
    with transaction.atomic():
        claim.release(counts_as_lost=bool(failure), **_afresh())
        RecordCase.objects.filter(record_id=claim.pk).delete()
        record = _load(claim)
        if record.lost_leases < LOST_LEASES_LIMIT:
            publish(RecordProgressed(record))
            return
        _close_as_judge_error(record, failure)


def reopen(record: Record) -> bool:
    """Judge a final record once more, after everything that waits, with its problem's current package.

    Answers whether it was final. The old result is gone: nobody must mistake it for the new one.
    """
    with transaction.atomic():
        final = Record.objects.filter(pk=record.pk, status=Status.FINAL)
        package = record.problem.package or record.package
        changed = final.update(
            version=F("version") + 1,
            verdict="",
            score=None,
            group_scores={},
            judged_at=None,
            staff_message="",
            compiler_output="",
            package=package,
            cases_total=package.tests.count(),
            worker="",
            lost_leases=0,
            queue_class=QueueClass.BACKGROUND,
            queued_at=timezone.now(),
            **_afresh(),
        )
        if changed != 1:
            return False
        RecordCase.objects.filter(record_id=record.pk).delete()
        reopened = _with_relations().get(pk=record.pk)
        publish(RecordReopened(reopened))
        _touch(reopened)
    return True


# --- Parts ----------------------------------------------------------------------------------------


def _with_relations() -> models.QuerySet[Record]:
    return Record.objects.select_related("contest", "problem", "user", "package")


def _load(claim: RecordClaim) -> Record:
    """The record as it is after this claim's write, in the same transaction."""
    return _with_relations().get(pk=claim.pk)


def _afresh() -> dict[str, object]:
    return {"status": Status.QUEUED, "cases_done": 0, "time_ms": None, "memory_kb": None}


def _begin(claim: RecordClaim) -> Record:
    RecordCase.objects.filter(record_id=claim.pk).delete()  # of an attempt whose worker died
    claim.write(**{**_afresh(), "status": Status.COMPILING})
    record = _load(claim)
    publish(RecordProgressed(record))
    return record


def _set_aside(claim: RecordClaim) -> None:
    RecordCase.objects.filter(record_id=claim.pk).delete()
    claim.write(**_afresh())
    _close_as_judge_error(_load(claim), "Its workers died.")


def _close_as_judge_error(record: Record, why: str) -> None:
    message = f"Set aside after {LOST_LEASES_LIMIT} attempts that no judge finished. {why}"
    Record.objects.filter(pk=record.pk).update(
        status=Status.FINAL,
        verdict=Verdict.JE,
        staff_message=message,
        judged_at=timezone.now(),
        lease_expires_at=None,
    )
    _tell_finished(_with_relations().get(pk=record.pk), ())


def _take_in(claim: RecordClaim, results: Sequence[CaseResult]) -> None:
    if not results:
        return
    # First the fence, then the rows: the update locks the record, or refuses before anything is written.
    claim.write(
        cases_done=F("cases_done") + len(results),
        time_ms=_largest("time_ms", max(result.time_ms for result in results)),
        memory_kb=_largest("memory_kb", max(result.memory_kb for result in results)),
    )
    RecordCase.objects.bulk_create(
        RecordCase(
            record_id=claim.pk,
            attempt=claim.attempt,
            index=result.index,
            verdict=result.verdict,
            time_ms=result.time_ms,
            memory_kb=result.memory_kb,
            score=result.score,
            message=result.message,
        )
        for result in results
    )


def _largest(field_name: str, value: int) -> Greatest:
    return Greatest(Coalesce(F(field_name), 0), value)


def _cases(claim: RecordClaim, results: Sequence[CaseResult]) -> tuple[RecordCase, ...]:
    if not results:
        return ()
    indexes = [result.index for result in results]
    return tuple(RecordCase.objects.filter(record_id=claim.pk, index__in=indexes).order_by("index"))


def _tell_finished(record: Record, cases: tuple[RecordCase, ...]) -> None:
    publish(RecordFinished(record, cases))
    _touch(record)


def _touch(record: Record) -> None:
    if record.purpose == Record.Purpose.CONTEST:
        touch_standings(record.contest)
