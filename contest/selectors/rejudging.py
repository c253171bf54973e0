"""How far the judging of records that were reopened has come."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Q

from contest.models import Contest, Problem, Record, Rejudging
from contest.models.queue import Status

SHOWN = 20


@dataclass(frozen=True)
class Progress:
    rejudging: Rejudging
    done: int
    superseded: int  # reopened once more since, by a later rejudging

    @property
    def is_going(self) -> bool:
        return self.done + self.superseded < self.rejudging.total


@dataclass(frozen=True)
class Rejudgeable:
    problem: Problem
    final: int
    waiting: int


def rejudgings(contest: Contest) -> list[Progress]:
    """The newest first: one query."""
    rows = contest.rejudgings.select_related("problem", "by").annotate(
        held=Count("records"), final=Count("records", filter=Q(records__status=Status.FINAL))
    )
    return [Progress(row, row.final, max(0, row.total - row.held)) for row in rows[:SHOWN]]


def rejudgeable(contest: Contest) -> list[Rejudgeable]:
    """Each problem with how many of its submissions are final: one query."""
    submitted = ~Q(records__purpose=Record.Purpose.PACKAGE)
    is_final = Q(records__status=Status.FINAL)
    rows = contest.problems.defer("package").annotate(
        final=Count("records", filter=submitted & is_final), waiting=Count("records", filter=submitted & ~is_final)
    )
    return [Rejudgeable(row, row.final, row.waiting) for row in rows]
