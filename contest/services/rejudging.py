"""Judging again what is final: one record, or all of a problem."""

from __future__ import annotations

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from contest.models import AuditEntry, Contest, Problem, Record, Rejudging, User
from contest.models.queue import Status
from contest.services.audit import note, optional_reason, was_done
from contest.services.checks import require_staff
from contest.services.errors import Refused
from contest.services.judging import reopen
from contest.services.times import locked_contest

RECORDS_A_TRANSACTION = 25
"""Live submissions wait for one of these at most, not for all records of a problem."""


def rejudge_record(record: Record, by: User, reason: str = "", form_key: str | None = None) -> Rejudging:
    """Judge one final record once more, with its problem's current package.

    The same `form_key` again does nothing and answers what was begun, as with `rejudge_problem`.
    """
    require_staff(record.contest, by)
    with transaction.atomic():
        contest = locked_contest(record.contest)
        if was_done(form_key):
            return _latest(record.problem, by)
        rejudging = _begin(contest, record.problem, by, is_whole_problem=False)
        if not _reopen([record], rejudging):
            raise Refused("bad-request", "This record is being judged already.")
        words = f"Had record {record.pk} (problem {record.problem.label}) judged again."
        why = optional_reason(reason)
        note(contest, by, AuditEntry.Action.REJUDGING, words, reason=why, subject=record.user, form_key=form_key)
    rejudging.refresh_from_db()
    return rejudging


def rejudge_problem(problem: Problem, by: User, reason: str = "", form_key: str | None = None) -> Rejudging:
    """Judge all final records of a problem once more, oldest first, after everything that waits.

    In steps of one transaction each: what fails in between leaves the rest as it was, and asking again does that.
    The history has a line exactly if the first step reopened something.
    """
    require_staff(problem.contest, by)
    with transaction.atomic():
        # The contest's row first: each record touches it, and of two of these one must see what the other did.
        contest = locked_contest(problem.contest)
        if was_done(form_key):
            return _latest(problem, by)
        waiting = list(final_records(problem).order_by("pk").values_list("pk", flat=True))
        if not waiting:
            raise Refused("bad-request", "No record of this problem is final, so there is nothing to judge again.")
        rejudging = _begin(contest, problem, by, is_whole_problem=True)
        words = f"Had all records of problem {problem.label} judged again: {len(waiting)}."
        note(contest, by, AuditEntry.Action.REJUDGING, words, reason=optional_reason(reason), form_key=form_key)
        _reopen(_rows(waiting[:RECORDS_A_TRANSACTION]), rejudging)
    for start in range(RECORDS_A_TRANSACTION, len(waiting), RECORDS_A_TRANSACTION):
        with transaction.atomic():
            locked_contest(contest)
            _reopen(_rows(waiting[start : start + RECORDS_A_TRANSACTION]), rejudging)
    rejudging.refresh_from_db()
    return rejudging


def final_records(problem: Problem) -> QuerySet[Record]:
    """What can be judged again: submissions of contestants and of staff, not those of the package."""
    return problem.records.filter(status=Status.FINAL).exclude(purpose=Record.Purpose.PACKAGE)


def _latest(problem: Problem, by: User) -> Rejudging:
    """What a form that comes again has begun."""
    return problem.rejudgings.filter(by=by).latest("pk")


def _rows(pks: list[int]) -> list[Record]:
    return list(Record.objects.filter(pk__in=pks).select_related("contest", "problem"))


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
