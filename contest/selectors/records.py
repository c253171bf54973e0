"""Records: which of them somebody may see, and how much of each."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q, QuerySet

from contest.access import Rights
from contest.models import Contest, Record, RecordCase, User
from contest.presenters import Json, present_case, present_record
from contest.rules.feedback import Feedback, reduce_cases, reduce_summary

PAGE_SIZE = 50


@dataclass(frozen=True)
class RecordFilter:
    """What a list is narrowed to; empty means everything."""

    problem: str = ""
    language: str = ""
    verdict: str = ""
    user: str = ""
    only_own: bool = False


def listed_records(contest: Contest, rights: Rights) -> QuerySet[Record]:
    """The viewer's own; for those entitled everybody's that count. Never package checks.

    These are the records whose changes reach the list live, so a page that stays open shows what a fresh one does.
    """
    listed = Q(user_id=rights.user_id) if rights.user_id is not None else Q(pk__in=())
    if rights.sees_all_records:
        listed |= Q(purpose=Record.Purpose.CONTEST)
    records = contest.records.filter(listed).exclude(purpose=Record.Purpose.PACKAGE)
    return _without_long_texts(records)


def list_records(
    contest: Contest, rights: Rights, chosen: RecordFilter, before: int | None = None
) -> tuple[list[Json], int | None]:
    """(summaries newest first, id to go on before, or None at the end): one query, whatever the filters."""
    records = _narrowed(listed_records(contest, rights), rights, chosen)
    if before is not None:
        records = records.filter(pk__lt=before)
    page = list(records.order_by("-pk")[: PAGE_SIZE + 1])
    shown = [summary_for(record, rights) for record in page[:PAGE_SIZE]]
    return shown, (page[PAGE_SIZE - 1].pk if len(page) > PAGE_SIZE else None)


def summary_for(record: Record, rights: Rights) -> Json:
    """The record's summary as the viewer may see it."""
    return reduce_summary(present_record(record), rights.own_feedback)


def cases_for(record: Record, rights: Rights) -> list[Json]:
    """The cases as the viewer may see them, by index."""
    rows = RecordCase.objects.filter(record=record, attempt=record.attempt).order_by("index")
    return reduce_cases((present_case(row) for row in rows), rights.own_feedback)


def latest_own(contest: Contest, rights: Rights, problem_id: int, limit: int = 5) -> list[Json]:
    """The viewer's newest records of one problem."""
    if rights.user_id is None:
        return []
    own = contest.records.filter(user_id=rights.user_id, problem_id=problem_id)
    own = own.exclude(purpose=Record.Purpose.PACKAGE)
    return [summary_for(record, rights) for record in _without_long_texts(own).order_by("-pk")[:limit]]


def find_record(record_id: int) -> Record | None:
    """With everything that its page shows."""
    return Record.objects.select_related("contest", "problem", "user", "package").filter(pk=record_id).first()


def chosen_user_id(chosen: RecordFilter, rights: Rights) -> int | None:
    """Whose records the filter leaves: None for everybody's, 0 for a name that nobody has."""
    if chosen.only_own:
        return rights.user_id
    if not (chosen.user and rights.sees_all_records):
        return None
    found = User.objects.filter(username=chosen.user).values_list("pk", flat=True).first()
    return found or 0


def _narrowed(records: QuerySet[Record], rights: Rights, chosen: RecordFilter) -> QuerySet[Record]:
    if chosen.problem:
        records = records.filter(problem__label=chosen.problem)
    if chosen.language:
        records = records.filter(language=chosen.language)
    if chosen.verdict and (rights.sees_all_records or rights.own_feedback is not Feedback.NONE):
        # Where verdicts are hidden, a filter by verdict would tell them.
        records = records.filter(verdict=chosen.verdict)
    if chosen.user and rights.sees_all_records:
        records = records.filter(user__username=chosen.user)
    if chosen.only_own and rights.user_id is not None:
        records = records.filter(user_id=rights.user_id)
    return records


def _without_long_texts(records: QuerySet[Record]) -> QuerySet[Record]:
    return records.select_related("problem", "user").defer("source", "compiler_output", "staff_message")
