"""Judging again what is final: one record, or all of a problem."""

from __future__ import annotations

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from contest.models import AuditEntry, Contest, Problem, Record, Rejudging, User
from contest.models.queue import Status
from contest.services.audit import note, optional_reason
from contest.services.checks import require_staff
from contest.services.errors import Refused
from contest.services.judging import reopen
from contest.services.times import locked_contest

RECORDS_A_TRANSACTION = 25
"""Live submissions wait for one of these at most, not for all records of a problem."""


def rejudge_record(record: Record, by: User, reason: str = "") -> Rejudging:
    """Judge one final record once more, with its problem's current package."""
    require_staff(record.contest, by)
    with transaction.atomic():
        contest = locked_contest(record.contest)
        rejudging = _begin(contest, record.problem, by, is_whole_problem=False)
        if not _reopen([record], rejudging):
            raise Refused("bad-request", "This record is being judged already.")
        words = f"Had record {record.pk} (problem {record.problem.label}) judged again."
        note(contest, by, AuditEntry.Action.REJUDGING, words, reason=optional_reason(reason), subject=record.user)
    rejudging.refresh_from_db()
    return rejudging


def rejudge_problem(problem: Problem, by: User, reason: str = "") -> Rejudging:
    """Judge all final records of a problem once more, oldest first, after everything that waits.

    In steps of one transaction each: what fails in between leaves the rest as it was, and asking again does that.
    """
    contest = problem.contest
    require_staff(contest, by)
    waiting = list(final_records(problem).order_by("pk").values_list("pk", flat=True))
    if not waiting:
        raise Refused("bad-request", "No record of this problem is final, so there is nothing to judge again.")
    with transaction.atomic():
        rejudging = _begin(contest, problem, by, is_whole_problem=True)
        words = f"Had all records of problem {problem.label} judged again: {len(waiting)}."
        note(contest, by, AuditEntry.Action.REJUDGING, words, reason=optional_reason(reason))
    for start in range(0, len(waiting), RECORDS_A_TRANSACTION):
        step = waiting[start : start + RECORDS_A_TRANSACTION]
        with transaction.atomic():
            # The contest's row first: each record touches it, and two of these must not wait for each other.
            locked_contest(contest)
            _reopen(list(Record.objects.filter(pk__in=step).select_related("contest", "problem")), rejudging)
    rejudging.refresh_from_db()
    return rejudging


def final_records(problem: Problem) -> QuerySet[Record]:
    """What can be judged again: submissions of contestants and of staff, not those of the package."""
    return problem.records.filter(status=Status.FINAL).exclude(purpose=Record.Purpose.PACKAGE)


def _begin(contest: Contest, problem: Problem, by: User, *, is_whole_problem: bool) -> Rejudging:
    return Rejudging.objects.create(
        contest=contest, problem=problem, by=by, at=timezone.now(), is_whole_problem=is_whole_problem
    )


def _reopen(records: list[Record], rejudging: Rejudging) -> int:
    """How many were final and are open now."""
    reopened = [record.pk for record in records if reopen(record)]
    Record.objects.filter(pk__in=reopened).update(rejudging=rejudging)
    Rejudging.objects.filter(pk=rejudging.pk).update(total=F("total") + len(reopened))
    return len(reopened)
