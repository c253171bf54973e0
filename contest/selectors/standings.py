"""Standings of a contest as a viewer may see them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.core.cache import cache

from contest.access import Rights, schedule_of
from contest.models import Contest, Participation, Problem, Record
from contest.models.queue import Status
from contest.rules.feedback import Feedback
from contest.rules.phases import Schedule, is_over
from contest.rules.standings import Attempt, IcpcRow, IoiRow, icpc_standings, ioi_standings

KEPT_S = 60
"""A change of outcomes raises the version; this bound is for names, which do not."""


class View(StrEnum):
    """How much of the outcomes a board shows."""

    FULL = "full"  # staff, and everybody where nothing is frozen
    FROZEN = "frozen"  # nothing of what was submitted after the freeze
    BLIND = "blind"  # that there were attempts, nothing more: the contest gives no feedback while it runs


@dataclass(frozen=True)
class Contestant:
    id: int
    username: str
    name: str


@dataclass(frozen=True)
class Board:
    """A complete board; the same object serves every viewer who has the same `view`."""

    view: View
    scoring: str
    version: str
    problems: list[Problem]
    contestants: dict[int, Contestant]
    rows: list[IcpcRow] | list[IoiRow]


def view_for(contest: Contest, rights: Rights) -> View:
    if rights.is_staff:
        return View.FULL
    if contest.feedback == Feedback.NONE and (rights.others_compete or not is_over(rights.phase)):
        return View.BLIND
    return View.FULL if contest.freeze_at is None or contest.unfrozen_at is not None else View.FROZEN


def board_key(contest: Contest, view: View) -> str:
    """Names one rendering: any change of outcomes, of the schedule or of the view makes another key."""
    return f"board-{contest.pk}-{contest.standings_version}-{contest.version}-{view}"


def board(contest: Contest, view: View) -> Board:
    """The board, from this process's cache or by three queries."""
    key = board_key(contest, view)
    found: Board | None = cache.get(key)
    if found is None:
        found = _make(contest, view, key)
        cache.set(key, found, KEPT_S)
    return found


def _make(contest: Contest, view: View, key: str) -> Board:
    problems = list(contest.problems.filter(is_draft=False).defer("package"))
    contestants = _contestants(contest)
    ids, problem_ids = list(contestants), [problem.pk for problem in problems]
    attempts = _attempts(contest)
    freeze_ms = _freeze_ms(contest, view)
    rows: list[IcpcRow] | list[IoiRow]
    if contest.scoring == Contest.Scoring.ICPC:
        rows = icpc_standings(ids, problem_ids, attempts, penalty_minutes=contest.penalty_minutes, freeze_ms=freeze_ms)
    else:
        rows = ioi_standings(ids, problem_ids, attempts, freeze_ms=freeze_ms)
    return Board(view, contest.scoring, key, problems, contestants, rows)


def _contestants(contest: Contest) -> dict[int, Contestant]:
    """Registered contestants in order of their names: equals stand in this order."""
    rows = Participation.objects.filter(contest=contest, state=Participation.State.REGISTERED).select_related("user")
    people = [Contestant(row.user_id, row.user.username, row.user.shown_name) for row in rows]
    return {person.id: person for person in sorted(people, key=lambda person: (person.name.casefold(), person.id))}


def _attempts(contest: Contest) -> Iterator[Attempt]:
    """Every contestant's records, without their sources."""
    rows = Record.objects.filter(contest=contest, purpose=Record.Purpose.CONTEST, user__isnull=False).values_list(
        "user_id", "problem_id", "submitted_at", "pk", "status", "verdict", "score", "group_scores"
    )
    schedule = schedule_of(contest)
    for user_id, problem_id, submitted_at, pk, status, verdict, score, groups in rows.iterator(chunk_size=2000):
        outcome = verdict if status == Status.FINAL else None
        at_ms = _elapsed_ms(schedule, submitted_at)
        yield Attempt(user_id or 0, problem_id, at_ms, pk, outcome, score or 0.0, groups or {})


def _freeze_ms(contest: Contest, view: View) -> int | None:
    if view is View.BLIND:
        return 0
    return _elapsed_ms(schedule_of(contest), contest.freeze_at) if view is View.FROZEN and contest.freeze_at else None


def _elapsed_ms(schedule: Schedule, moment: datetime) -> int:
    """By the contest's clock: a pause costs nobody any time."""
    return int(schedule.elapsed(moment).total_seconds() * 1000)
