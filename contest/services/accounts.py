"""Accounts: what else changes when somebody registers, signs out or changes the password."""

from __future__ import annotations

from django.db import transaction
from django.db.models import F

from contest.events import RightsChanged, publish
from contest.models import User


def open_account(user: User) -> None:
    """Save a new account."""
    with transaction.atomic():
        user.save()


def tell_signed_out(user: User) -> None:
    """The live connections of this session end within seconds."""
    with transaction.atomic():
        publish(RightsChanged(user.pk, None, "signed-out"))


def change_password(user: User, password: str) -> None:
    """Set the password; other sessions and old reconnect tokens are worth nothing afterwards."""
    user.set_password(password)
    with transaction.atomic():
        user.save(update_fields=["password"])
        end_everywhere(user, "password")


def end_everywhere(user: User, reason: str) -> None:
    """Cut every live connection of `user`. Inside the transaction of what made it necessary."""
    User.objects.filter(pk=user.pk).update(rights_version=F("rights_version") + 1)
    publish(RightsChanged(user.pk, None, reason))


def save_profile(user: User) -> None:
    with transaction.atomic():
        user.save(update_fields=["display_name", "language", "time_zone"])
