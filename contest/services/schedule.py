"""Start, end and freeze of a contest, changed while pages are open; showing the final standings; closing."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from contest.access import phase_of
from contest.events import ContestChanged, publish
from contest.models import Contest, User
from contest.rules.phases import is_over
from contest.services.checks import require_staff
from contest.services.errors import Refused
from contest.services.standings import touch_standings

YEARS = range(1970, 2200)
"""Far from where a change of time zone leads out of the calendar."""


def change_schedule(
    contest: Contest, by: User, *, starts_at: datetime, ends_at: datetime, freeze_at: datetime | None
) -> Contest:
    """Move the contest's times. Open pages follow; the same times again change nothing."""
    require_staff(contest, by)
    if any(moment is not None and moment.year not in YEARS for moment in (starts_at, ends_at, freeze_at)):
        raise Refused("bad-request", f"A contest lies in the years {YEARS.start} to {YEARS.stop - 1}.")
    require_order(starts_at, ends_at, freeze_at)
    with transaction.atomic():
        locked = _locked(contest)
        if (locked.starts_at, locked.ends_at, locked.freeze_at) == (starts_at, ends_at, freeze_at):
            return locked
        locked.starts_at, locked.ends_at, locked.freeze_at = starts_at, ends_at, freeze_at
        _tell(locked, ["starts_at", "ends_at", "freeze_at"])
    return locked


def require_order(starts_at: datetime, ends_at: datetime, freeze_at: datetime | None) -> None:
    if ends_at <= starts_at:
        raise Refused("bad-request", "The end must come after the start.")
    if freeze_at is not None and not starts_at <= freeze_at <= ends_at:
        raise Refused("bad-request", "The freeze must lie between start and end.")


def show_final_standings(contest: Contest, by: User) -> Contest:
    """End the freeze: from now on everybody sees what staff see."""
    require_staff(contest, by)
    with transaction.atomic():
        locked = _locked(contest)
        if locked.unfrozen_at is not None:
            return locked
        if timezone.now() < locked.ends_at:
            raise Refused("bad-request", "The freeze can be lifted when the contest is over.")
        locked.unfrozen_at = timezone.now()
        _tell(locked, ["unfrozen_at"])
    return locked


def archive(contest: Contest, by: User) -> Contest:
    """Close the contest for good: read only, and its live streams come to their end."""
    require_staff(contest, by)
    with transaction.atomic():
        locked = _locked(contest)
        if locked.archived_at is not None:
            return locked
        if not is_over(phase_of(locked)):
            raise Refused("bad-request", "Only a contest that is over can be closed.")
        locked.archived_at = timezone.now()
        _tell(locked, ["archived_at"])
    return locked


def _locked(contest: Contest) -> Contest:
    return Contest.objects.select_for_update().get(pk=contest.pk)


def _tell(contest: Contest, fields: list[str]) -> None:
    """Save `fields` as a new version and tell everybody; standings depend on the times too."""
    contest.version += 1
    contest.save(update_fields=[*fields, "version"])
    publish(ContestChanged(contest))
    touch_standings(contest)
