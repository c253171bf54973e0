"""The start, the freeze and the end of a contest, when their time comes: nobody changed anything, yet
everything that depends on the phase is different now."""

from __future__ import annotations

from django.db import transaction
from django.db.models import F

from contest.events import ContestChanged, publish
from contest.models import Contest


def announce_boundary(contest: Contest) -> None:
    """Tell everybody that the contest has come to a boundary of its schedule, as a version of its own."""
    with transaction.atomic():
        Contest.objects.filter(pk=contest.pk).update(version=F("version") + 1)
        publish(ContestChanged(Contest.objects.get(pk=contest.pk)))
