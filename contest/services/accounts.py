"""Accounts: what else changes when somebody registers or changes the password."""

from __future__ import annotations

from django.db import transaction
from django.db.models import F

from contest.models import User


def open_account(user: User) -> None:
    """Save a new account."""
    with transaction.atomic():
        user.save()


def change_password(user: User, password: str) -> None:
    """Set the password; other sessions and old reconnect tokens are worth nothing afterwards."""
    user.set_password(password)
    with transaction.atomic():
        user.save(update_fields=["password"])
        void_tokens(user)


def void_tokens(user: User) -> None:
    """Old reconnect tokens of `user` are worth nothing from now on. In the transaction of what made it necessary."""
    User.objects.filter(pk=user.pk).update(rights_version=F("rights_version") + 1)


def save_profile(user: User) -> None:
    with transaction.atomic():
        user.save(update_fields=["display_name", "language", "time_zone"])
