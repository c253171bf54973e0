"""Extra time for what the site itself cost: gaps in own time by its doing, and waits while no judge worked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import F

from contest.models import Contest, Participation, User
from contest.ports import read_own_times
from contest.services.checks import require_staff
from contest.services.locks import lock_participations
from contest.services.schedule import grant_extra_time


@dataclass(frozen=True)
class Offer:
    """What staff saw and agreed to: so much for this contestant, who had been given so much for the site before."""

    participation_id: int
    seconds: int
    given_before_s: int


def compensate(contest: Contest, by: User, offers: Sequence[Offer], reason: str) -> int:
    """Give each contestant what was offered, all or nothing; answers how many got something.

    An offer that is not true any more is passed over: more was given meanwhile, or the site owes less. So the
    same form sent twice gives once. Raises Refused as `grant_extra_time` does.
    """
    require_staff(contest, by)
    rows = contest.participations.filter(pk__in=[offer.participation_id for offer in offers])
    times = read_own_times(contest, list(rows))
    with transaction.atomic():
        # All of them before the first is given anything: that takes the contest, which comes after them.
        participations = {row.pk: row for row in lock_participations(rows) if row.pk in times}
        return sum(
            _give(participations[offer.participation_id], by, offer, reason)
            for offer in offers
            if offer.participation_id in participations
            and 0 < offer.seconds <= times[offer.participation_id].owed_s(offer.given_before_s)
        )


def _give(participation: Participation, by: User, offer: Offer, reason: str) -> bool:
    """Whether this offer was the first of its kind: the row itself says how much had been given before."""
    row = Participation.objects.filter(pk=participation.pk, site_time_s=offer.given_before_s)
    if not row.update(site_time_s=F("site_time_s") + offer.seconds):
        return False
    grant_extra_time(participation, by, offer.seconds, reason)
    return True
