"""Who takes part in a contest, for its jury."""

from __future__ import annotations

from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.db.models import Count, Q, QuerySet

from contest.models import Contest, Participation, Record

PAGE_SIZE = 50


@dataclass(frozen=True)
class PeopleFilter:
    """What the list is narrowed to; empty means everybody."""

    text: str = ""
    only: str = ""  # "banned", "extra"


def people(contest: Contest, chosen: PeopleFilter, page: int) -> Page[Participation]:
    """Contestants by name, with the number of their records; a page beyond the last is the last."""
    rows = contest.participations.select_related("user").annotate(record_count=_record_count)
    return Paginator(_narrowed(rows, chosen).order_by("user__username"), PAGE_SIZE).get_page(page)


def find_participation(contest: Contest, user_id: int) -> Participation | None:
    rows = contest.participations.select_related("user").annotate(record_count=_record_count)
    found = rows.filter(user__pk=user_id).first()  # user_id= would hand the database numbers that it cannot hold
    if found is not None:
        found.contest = contest
    return found


_record_count = Count("records", filter=Q(records__purpose=Record.Purpose.CONTEST))


def _narrowed(rows: QuerySet[Participation], chosen: PeopleFilter) -> QuerySet[Participation]:
    if chosen.text:
        rows = rows.filter(Q(user__username__icontains=chosen.text) | Q(user__display_name__icontains=chosen.text))
    if chosen.only == "banned":
        rows = rows.filter(state=Participation.State.BANNED)
    if chosen.only == "extra":
        rows = rows.filter(extra_time_s__gt=0)
    return rows
