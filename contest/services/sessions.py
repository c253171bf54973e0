"""Signed-in sessions in bulk: opened for load tests, and forgotten when nobody can use them any more."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.utils import timezone
from django.utils.crypto import get_random_string

from contest.models import User

_BACKEND = "django.contrib.auth.backends.ModelBackend"
_KEY_SIGNS = "0123456789abcdefghijklmnopqrstuvwxyz"
_KEY_LENGTH = 32
_BATCH_ROWS = 1000


def open_sessions(users: Iterable[User]) -> list[str]:
    """A new session for each user, as if they had signed in now; the values of their session cookies, in order."""
    expires_at = timezone.now() + timedelta(seconds=settings.SESSION_COOKIE_AGE)
    store = SessionStore()
    rows = [Session(_new_key(), store.encode(_contents(user)), expires_at) for user in users]
    Session.objects.bulk_create(rows, batch_size=_BATCH_ROWS)
    return [row.session_key for row in rows]


def forget_ended_sessions() -> int:
    """Delete the sessions whose time is over; answers how many. Without it each sign-in leaves a row for ever."""
    return Session.objects.filter(expire_date__lt=timezone.now()).delete()[0]


def _new_key() -> str:
    return get_random_string(_KEY_LENGTH, _KEY_SIGNS)


def _contents(user: User) -> dict[str, str]:
    return {
        SESSION_KEY: str(user.pk),
        BACKEND_SESSION_KEY: _BACKEND,
        HASH_SESSION_KEY: user.get_session_auth_hash(),
    }
