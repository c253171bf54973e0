"""Saying that standings are not the same any more."""

from __future__ import annotations

from django.db.models import F

from contest.events import StandingsChanged, publish
from contest.models import Contest


def touch_standings(contest: Contest) -> None:
    """Raise the version that renderings are kept under, and tell. Inside the transaction of the change."""
    Contest.objects.filter(pk=contest.pk).update(standings_version=F("standings_version") + 1)
    contest.refresh_from_db(fields=["standings_version"])
    publish(StandingsChanged(contest))
