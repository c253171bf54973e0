"""Showing a problem to contestants, taking it back, and deleting a draft."""

from __future__ import annotations

from django.db import transaction
from django.db.models import F

from contest.events import ContestChanged, publish
from contest.models import Contest, Problem, Record, User
from contest.services.checks import require_staff
from contest.services.errors import Refused
from contest.services.standings import touch_standings


def publish_problem(problem: Problem, by: User) -> Problem:
    """A draft becomes a problem of the contest. It needs a package, or nothing could be judged."""
    if problem.package_id is None:
        raise Refused("bad-request", "This problem has no package yet, so it cannot be judged.")
    return _set_draft(problem, by, is_draft=False)


def hide_problem(problem: Problem, by: User) -> Problem:
    """Back to a draft, seen by staff only; its records stay, but standings leave them out."""
    return _set_draft(problem, by, is_draft=True)


def arrange_problem(problem: Problem) -> None:
    """Save a problem's label, title and position. The administration, where that is done, checks who may."""
    with transaction.atomic():
        problem.save()
        touch_standings(problem.contest)


def delete_draft(problem: Problem, by: User) -> None:
    """Take a draft away for good, with all versions of its package and their sample submissions.

    Refused once somebody has submitted: records stay.
    """
    require_staff(problem.contest, by)
    with transaction.atomic():
        problem = Problem.objects.select_for_update(of=("self",)).select_related("contest").get(pk=problem.pk)
        if not problem.is_draft:
            raise Refused("bad-request", "Contestants see this problem. Take it back first.")
        if problem.records.exclude(purpose=Record.Purpose.PACKAGE).exists():
            raise Refused("bad-request", "There are records of this problem, so it stays as a draft.")
        Problem.objects.filter(pk=problem.pk).update(package=None)
        problem.records.all().delete()
        problem.delete()


def _set_draft(problem: Problem, by: User, *, is_draft: bool) -> Problem:
    require_staff(problem.contest, by)
    with transaction.atomic():
        if Problem.objects.filter(pk=problem.pk, is_draft=not is_draft).update(is_draft=is_draft) == 1:
            contest = problem.contest
            Contest.objects.filter(pk=contest.pk).update(version=F("version") + 1)
            contest.refresh_from_db()
            publish(ContestChanged(contest))
            touch_standings(contest)
        problem.is_draft = is_draft
    return problem
