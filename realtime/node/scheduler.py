"""What happens because time passes: boundaries of contests, standings told at most every 2 s,
places in the queue, trouble with judging, pruning.

Every node runs it. Who inserts or updates the row that says "done" is the one that did it.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from contest.models import Contest, Participation
from contest.services.alarms import check_judging
from contest.services.boundaries import announce_boundary
from contest.services.positions import tell_positions
from contest.services.schedule import MOST_EXTRA_S
from contest.services.sessions import forget_ended_sessions
from realtime import database
from realtime.clock import now_ms
from realtime.log.retention import prune_log
from realtime.models import AnnouncedStandings, ReachedBoundary
from realtime.receivers.contest import tell_standings
from realtime.timer.forgetting import forget_history, forget_sessions, forget_site_history

logger = logging.getLogger(__name__)

BOUNDARY_PERIOD_S = 0.5
STANDINGS_PERIOD_S = 2.0
POSITIONS_PERIOD_S = 1.0
ALARMS_PERIOD_S = 1.0
ALARMS_FIRST_S = 20.0
"""A judge that starts together with this process needs a moment until it is heard of, so new alarms wait for so
long. An old one is taken back at once."""
PRUNE_PERIOD_S = 600.0
LOOK_BACK = timedelta(hours=1)
"""A boundary passed longer ago was passed while no node ran, and no page waits for it any more."""
OWN_ENDS_STEP_S = 5
"""Ends of contestants with extra time within so many seconds are told together, for everybody's rights in the contest
are read anew: after an outage thousands may have been given as many different times. Whole minutes are exact."""


async def run() -> None:
    """All of it, for ever."""
    await asyncio.gather(
        _every(BOUNDARY_PERIOD_S, announce_reached_boundaries),
        _every(STANDINGS_PERIOD_S, announce_standings),
        _every(POSITIONS_PERIOD_S, tell_positions),
        _every(ALARMS_PERIOD_S, judging_look(now_ms())),
        _every(PRUNE_PERIOD_S, prune_log),
        _every(PRUNE_PERIOD_S, forget_sessions),
        _every(PRUNE_PERIOD_S, forget_history),
        _every(PRUNE_PERIOD_S, forget_site_history),
        _every(PRUNE_PERIOD_S, forget_ended_sessions),
    )


async def _every(period_s: float, work: Callable[[], object]) -> None:
    while True:
        await asyncio.sleep(period_s)
        try:
            await database.run(database.writing, work)
        except Exception as error:
            logger.warning("%s failed, trying again: %s", work.__name__, error)


def judging_look(started_ms: float) -> Callable[[], int]:
    """A look at judging for a process that runs since `started_ms`."""

    def check_alarms() -> int:
        return check_judging(tells_new=now_ms() - started_ms >= ALARMS_FIRST_S * 1000)

    return check_alarms


# --- Boundaries -----------------------------------------------------------------------------------


def announce_reached_boundaries(now: datetime | None = None) -> int:
    """Append `contest.changed` for every start, freeze and end that has come, and for the ends of those who have extra
    time: they may see more now, and after the last of them everybody may. Answers how many were new."""
    now = now or timezone.now()
    recently = (now - LOOK_BACK, now)
    last_own_ends = (now - LOOK_BACK - timedelta(seconds=MOST_EXTRA_S), now)
    # A paused contest comes to no boundary: its clock stands still, and the boundaries move on with the pause.
    contests = Contest.objects.filter(paused_at=None).filter(
        Q(starts_at__range=recently) | Q(freeze_at__range=recently) | Q(ends_at__range=last_own_ends)
    )
    return sum(_announce_of(contest, *recently) for contest in contests)


def _announce_of(contest: Contest, since: datetime, now: datetime) -> int:
    reached = [[(kind, at)] for kind, at in _boundaries(contest) if since <= at <= now]
    own_ends = [("own end", at) for at in _own_ends(contest, since, now)]
    return sum(_announce(contest, together) for together in [*reached, own_ends] if together)


def _boundaries(contest: Contest) -> list[tuple[str, datetime]]:
    freeze = [("freeze", contest.freeze_at)] if contest.freeze_at else []
    return [("start", contest.starts_at), *freeze, ("end", contest.ends_at)]


def _own_ends(contest: Contest, since: datetime, now: datetime) -> list[datetime]:
    """When contestants with extra time came to their ends, in steps: at most as many as fit between the two moments."""
    since_s, now_s = ((moment - contest.ends_at).total_seconds() for moment in (since, now))
    if now_s < OWN_ENDS_STEP_S:
        return []
    with_time = contest.participations.filter(
        state=Participation.State.REGISTERED,
        extra_time_s__gt=max(0, math.floor(since_s) - OWN_ENDS_STEP_S),
        extra_time_s__lte=math.floor(now_s),
    )
    # SQL's division of whole numbers rounds down.
    step = (F("extra_time_s") + (OWN_ENDS_STEP_S - 1)) / OWN_ENDS_STEP_S
    steps = with_time.annotate(step=step).order_by("step").values_list("step", flat=True).distinct()
    ends = [contest.ends_at + timedelta(seconds=number * OWN_ENDS_STEP_S) for number in steps]
    return [at for at in ends if since <= at <= now]


def _announce(contest: Contest, together: list[tuple[str, datetime]]) -> int:
    """Announce these boundaries by one event, unless all of them have been. Answers how many had not."""
    rows = ReachedBoundary.objects.filter(contest=contest)
    known = set(rows.filter(at__in=[at for _, at in together]).values_list("kind", "at"))
    fresh = [(kind, at) for kind, at in together if (kind, at) not in known]
    if not fresh:
        return 0
    with transaction.atomic():
        boundaries = [ReachedBoundary(contest=contest, kind=kind, at=at) for kind, at in fresh]
        ReachedBoundary.objects.bulk_create(boundaries, ignore_conflicts=True)
        # Of several nodes that came here, one sees a row untouched and takes it.
        untouched = [rows.filter(kind=kind, at=at, is_announced=False) for kind, at in fresh]
        taken = sum(row.update(is_announced=True) for row in untouched)
        if taken:
            announce_boundary(contest)
    return taken


# --- Standings ------------------------------------------------------------------------------------


def announce_standings() -> int:
    """Tell pages of contests whose standings have a newer version than they were told. Answers how many contests."""
    stale = Contest.objects.filter(
        Q(announcedstandings__isnull=True, standings_version__gt=0)
        | Q(standings_version__gt=F("announcedstandings__version"))
    )
    return sum(_announce_standings(contest) for contest in stale)


def _announce_standings(contest: Contest) -> int:
    with transaction.atomic():
        AnnouncedStandings.objects.bulk_create([AnnouncedStandings(contest=contest)], ignore_conflicts=True)
        told = AnnouncedStandings.objects.filter(contest=contest, version__lt=contest.standings_version)
        if not told.update(version=contest.standings_version):
            return 0
        tell_standings(contest, contest.standings_version)
    return 1
