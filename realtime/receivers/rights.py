"""Changed rights: sessions that end, accounts, participations and memberships of the jury that change.

The one door: told by the rows, whoever writes them, so that no service and no page of the
administration can forget it. Only `save` and `delete` are seen: rights are never changed by `update`
or in bulk. Events of the topic `rights`, which every node follows; nobody's browser does.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models.signals import post_delete, post_save
from django.utils import timezone

from contest.models import Contest, JuryMembership, Participation
from realtime.entry.sessions import digest
from realtime.log import topics
from realtime.log.append import append

OPENNESS = frozenset({"visibility", "records_open_after_end"})
"""Fields of a contest that say who may see it beside those who take part."""


def connect() -> None:
    post_delete.connect(_session_ended, sender=Session, dispatch_uid="realtime.session")
    post_save.connect(_account_saved, sender=get_user_model(), dispatch_uid="realtime.account.saved")
    post_delete.connect(_account_gone, sender=get_user_model(), dispatch_uid="realtime.account.gone")
    for model in (Participation, JuryMembership):
        post_save.connect(_membership_saved, sender=model, dispatch_uid=f"realtime.{model.__name__}.saved")
        post_delete.connect(_membership_gone, sender=model, dispatch_uid=f"realtime.{model.__name__}.gone")
    post_save.connect(_contest_saved, sender=Contest, dispatch_uid="realtime.contest.saved")


def _session_ended(instance: Session, **_: Any) -> None:
    """Signing out, changing one's password and signing in anew delete the session's row."""
    if instance.expire_date > timezone.now():  # the clean-up of old sessions ends nobody's connection
        _append("session.ended", {"session": digest(instance.session_key)})


def _account_saved(instance: Any, created: bool, update_fields: frozenset[str] | None = None, **_: Any) -> None:
    if not created and update_fields != frozenset({"last_login"}):
        _account_gone(instance)


def _account_gone(instance: Any, **_: Any) -> None:
    _append("rights.changed", {"user": instance.pk, "contest": None, "reason": "account"})


def _membership_saved(instance: Participation | JuryMembership, created: bool, **_: Any) -> None:
    if not (created and _only_adds_a_contestant(instance)):
        _membership_gone(instance)


def _only_adds_a_contestant(instance: Participation | JuryMembership) -> bool:
    """Whoever registers has no connections yet that it could matter to, and thousands may do so at once."""
    return isinstance(instance, Participation) and instance.state == Participation.State.REGISTERED


def _membership_gone(instance: Participation | JuryMembership, **_: Any) -> None:
    data = {"user": instance.user_id, "contest": instance.contest_id, "reason": "membership"}
    _append("rights.changed", data)


def _contest_saved(instance: Contest, created: bool, update_fields: frozenset[str] | None = None, **_: Any) -> None:
    """A contest made private is not for everybody any more. A save of all fields may have done it."""
    if not created and (update_fields is None or not OPENNESS.isdisjoint(update_fields)):
        _append("rights.changed", {"user": None, "contest": instance.pk, "reason": "contest"})


def _append(name: str, data: dict[str, Any]) -> None:
    """In the transaction of the change; where the change has none, in one of its own right after it."""
    with transaction.atomic():
        append(topics.RIGHTS, name, data)
