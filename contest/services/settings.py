"""Making a contest, and its settings that may change while it runs."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from contest.models import AuditEntry, Contest, User
from contest.services.audit import note, optional_reason
from contest.services.checks import require_staff
from contest.services.errors import Refused
from contest.services.times import locked_contest, tell

SETTINGS = AuditEntry.Action.SETTINGS


TIMES = ("starts_at", "ends_at", "freeze_at")
MOVED_ELSEWHERE = frozenset({*TIMES, "paused_at", "pauses", "unfrozen_at", "archived_at", "version"})
"""Each change of these is an action of `schedule` or `pauses`, with rules of its own."""


def open_contest(contest: Contest, by: User) -> Contest:
    """Save a new contest. The administration, which makes contests, checks who may."""
    with transaction.atomic():
        contest.save()
        note(contest, by, SETTINGS, "Made the contest.")
    return contest


def change_settings(contest: Contest, by: User, names: Sequence[str]) -> Contest:
    """Take over those fields of `contest` that `names` names; times are not among them. The administration, which
    changes settings by a form, checks who may."""
    fields = [name for name in names if name not in MOVED_ELSEWHERE]
    with transaction.atomic():
        locked = locked_contest(contest)
        if not fields:
            return locked
        for name in fields:
            setattr(locked, name, getattr(contest, name))
        note(locked, by, SETTINGS, f"Changed the settings: {', '.join(fields)}.")
        tell(locked, fields)
    return locked


def set_visibility(contest: Contest, by: User, visibility: str, reason: str = "") -> Contest:
    """Show the contest to everybody, or to its contestants and staff only; whoever may not see it any more loses
    the open connections, too."""
    require_staff(contest, by)
    if visibility not in Contest.Visibility.values:
        raise Refused("bad-request", "A contest is public or private.")
    with transaction.atomic():
        locked = locked_contest(contest)
        if locked.visibility == visibility:
            return locked
        locked.visibility = visibility
        note(locked, by, SETTINGS, f"Made the contest {visibility}.", reason=optional_reason(reason))
        tell(locked, ["visibility"])
    return locked


def set_registration(contest: Contest, by: User, *, is_open: bool) -> Contest:
    """Whether people may register by themselves."""
    require_staff(contest, by)
    with transaction.atomic():
        locked = locked_contest(contest)
        if locked.registration_open == is_open:
            return locked
        locked.registration_open = is_open
        note(locked, by, SETTINGS, f"{'Opened' if is_open else 'Closed'} the registration.")
        tell(locked, ["registration_open"])
    return locked
