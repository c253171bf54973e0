"""Which contests there are for somebody, and how they stand."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet, Value
from django.db.models.fields import BooleanField

from contest.access import Viewer, phase_of
from contest.models import Contest, JuryMembership, Participation, User
from contest.rules.phases import Phase

PAST_PAGE_SIZE = 30


@dataclass(frozen=True)
class ListedContest:
    """One line of the contest list."""

    contest: Contest
    phase: Phase
    is_registered: bool
    is_jury: bool
    is_excluded: bool
    """Named, for they know it, but shut to them."""


@dataclass(frozen=True)
class ContestList:
    running: list[ListedContest]
    coming: list[ListedContest]
    past: list[ListedContest]
    has_older: bool


MAY_SEE = Q(judged=True) | Q(mine=True) | Q(visibility=Contest.Visibility.PUBLIC, banned=False)


def contests_visible_to(viewer: Viewer) -> QuerySet[Contest]:
    """The rule of `Rights.may_see_contest` as a query, with `mine` and `judged` saying why."""
    contests = _seen_by(viewer)
    return contests if _is_admin(viewer) else contests.filter(MAY_SEE)


def _seen_by(viewer: Viewer) -> QuerySet[Contest]:
    """All contests, each with what `viewer` is to it: `mine`, `judged`, `banned`. An admin is banned from none."""
    no = Value(False, output_field=BooleanField())
    if not isinstance(viewer, User) or not viewer.is_active:
        return Contest.objects.annotate(mine=no, judged=no, banned=no)
    taking_part = Participation.objects.filter(contest=OuterRef("pk"), user=viewer)
    return Contest.objects.annotate(
        mine=Exists(taking_part.filter(state=Participation.State.REGISTERED)),
        judged=Exists(JuryMembership.objects.filter(contest=OuterRef("pk"), user=viewer)),
        banned=no if _is_admin(viewer) else Exists(taking_part.filter(state=Participation.State.BANNED)),
    )


def _is_admin(viewer: Viewer) -> bool:
    return isinstance(viewer, User) and viewer.is_active and viewer.is_superuser


def contest_list(viewer: Viewer, now: datetime, page: int = 1) -> ContestList:
    """Running first by their end, coming by their start, past by their end, newest first: two queries.

    What is not over stands there for whoever is excluded from it, too: "nothing is running" would not be true.
    """
    visible = contests_visible_to(viewer)
    known = visible if _is_admin(viewer) else _seen_by(viewer).filter(MAY_SEE | Q(banned=True))
    # While a contest is paused its end moves away: it is not over, however late it is.
    is_over = Q(archived_at__isnull=False) | Q(ends_at__lte=now, paused_at=None)
    open_ones = [_listed(row, now) for row in known.exclude(is_over).order_by("ends_at")]
    start = (page - 1) * PAST_PAGE_SIZE
    over = visible.filter(is_over).order_by("-ends_at", "-pk")
    past = [_listed(row, now) for row in over[start : start + PAST_PAGE_SIZE + 1]]
    return ContestList(
        running=[row for row in open_ones if row.phase is not Phase.COMING],
        coming=sorted((row for row in open_ones if row.phase is Phase.COMING), key=lambda row: row.contest.starts_at),
        past=past[:PAST_PAGE_SIZE],
        has_older=len(past) > PAST_PAGE_SIZE,
    )


def registered_count(contest: Contest) -> int:
    return contest.participations.filter(state=Participation.State.REGISTERED).count()


def contestants_of(contest: Contest) -> QuerySet[User]:
    """Who is registered, by user name."""
    registered = contest.participations.filter(state=Participation.State.REGISTERED)
    return User.objects.filter(pk__in=registered.values("user")).order_by("username")


def _listed(contest: Contest, now: datetime) -> ListedContest:
    is_jury = bool(getattr(contest, "judged", False))
    return ListedContest(
        contest,
        phase_of(contest, now),
        is_registered=bool(getattr(contest, "mine", False)),
        is_jury=is_jury,
        is_excluded=bool(getattr(contest, "banned", False)) and not is_jury,
    )
