"""Who takes part: registering, leaving, and what staff decide: entering, removing, banning and letting back in."""

from __future__ import annotations

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from contest.access import EXCLUDED, phase_of, rights_in
from contest.models import AuditEntry, Contest, Participation, User
from contest.rules.phases import Phase, is_over
from contest.services.audit import note, optional_reason
from contest.services.checks import one_at_a_time, require_staff
from contest.services.errors import Refused
from contest.services.locks import lock_participations
from contest.services.standings import touch_standings

PEOPLE = AuditEntry.Action.PEOPLE


def register(contest: Contest, user: User) -> Participation:
    """Register `user`, who asked for it. Registering twice is registering once."""
    rights = rights_in(contest, user)
    if not rights.is_registered and not rights.may_register:
        raise Refused("forbidden", _why_not(rights.is_banned, rights.is_jury, is_over(rights.phase)))
    with transaction.atomic():
        participation, is_new = Participation.objects.get_or_create(
            contest=contest, user=user, defaults={"registered_at": timezone.now()}
        )
        if is_new:
            touch_standings(contest)
    return participation


def unregister(contest: Contest, user: User) -> None:
    """Leave the contest again before it starts. Leaving twice is leaving once.

    Afterwards own time and its gaps hang on the registration: who left and came back would have erased them.
    """
    with transaction.atomic():
        participation = _locked(contest, user)
        if participation is None:
            return
        if participation.state == Participation.State.BANNED:
            raise Refused("forbidden", EXCLUDED)
        if participation.records.exists():
            raise Refused("forbidden", "You have submitted in this contest, so your registration stays.")
        if phase_of(contest) is not Phase.COMING:
            raise Refused("forbidden", "The contest has begun, so your registration stays. The jury can remove it.")
        participation.delete()
        touch_standings(contest)


def enter(contest: Contest, user: User, by: User) -> Participation:
    """Register somebody, whether registration is open or not. Entering twice is entering once."""
    require_staff(contest, by)
    if rights_in(contest, user).is_jury:
        raise Refused("bad-request", "The jury of a contest does not take part in it.")
    with transaction.atomic():
        participation, is_new = Participation.objects.get_or_create(
            contest=contest, user=user, defaults={"registered_at": timezone.now()}
        )
        if participation.state == Participation.State.BANNED:
            raise Refused("bad-request", "They are excluded from this contest; let them back in instead.")
        if is_new:
            note(contest, by, PEOPLE, f"Registered {user.shown_name}.", subject=user)
            touch_standings(contest)
    return participation


def remove(contest: Contest, user: User, by: User, reason: str = "") -> None:
    """Take somebody's registration away, as long as nothing was submitted; their open pages are cut off."""
    require_staff(contest, by)
    with transaction.atomic():
        participation = _locked(contest, user)
        if participation is None:
            return
        if participation.state == Participation.State.BANNED:
            raise Refused("bad-request", "They are excluded, and that is kept.")
        if participation.records.exists():
            raise Refused("bad-request", "They have submitted, so the registration stays. Exclude them instead.")
        participation.delete()
        note(contest, by, PEOPLE, f"Removed {user.shown_name}.", reason=optional_reason(reason), subject=user)
        touch_standings(contest)


def ban(contest: Contest, user: User, by: User, reason: str = "") -> Participation:
    """Exclude `user` at once: open pages are cut off, old reconnect tokens die, standings leave them out."""
    require_staff(contest, by)
    if rights_in(contest, user).is_jury:
        raise Refused("bad-request", "The jury of a contest does not take part in it.")
    with transaction.atomic():
        participation = _locked(contest, user)
        if participation is None:
            participation = Participation(contest=contest, user=user, registered_at=timezone.now())
        elif participation.state == Participation.State.BANNED:
            return participation
        participation.state = Participation.State.BANNED
        participation.save()
        User.objects.filter(pk=user.pk).update(rights_version=F("rights_version") + 1)
        note(contest, by, PEOPLE, f"Excluded {user.shown_name}.", reason=optional_reason(reason), subject=user)
        touch_standings(contest)
    return participation


def readmit(contest: Contest, user: User, by: User, reason: str = "") -> None:
    """Take a ban back; records made before it count again."""
    require_staff(contest, by)
    with transaction.atomic():
        participation = _locked(contest, user)
        if participation is None or participation.state != Participation.State.BANNED:
            return
        participation.state = Participation.State.REGISTERED
        participation.save(update_fields=["state"])
        note(contest, by, PEOPLE, f"Let {user.shown_name} back in.", reason=optional_reason(reason), subject=user)
        touch_standings(contest)


def _locked(contest: Contest, user: User) -> Participation | None:
    """The person first: who submits holds that row, and refers to the participation afterwards."""
    one_at_a_time(user)
    rows = lock_participations(Participation.objects.filter(contest=contest, user=user))
    return rows[0] if rows else None


def _why_not(is_banned: bool, is_jury: bool, over: bool) -> str:
    if is_banned:
        return EXCLUDED
    if is_jury:
        return "You are on the jury of this contest, so you cannot take part in it."
    return "The contest is over." if over else "Registration for this contest is closed."
