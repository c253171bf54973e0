"""Who a connection belongs to: Django's session cookie, read for many connections by two queries.

Session keys stay in memory; what is logged, stored or compared elsewhere is their digest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.models import Session
from django.http import parse_cookie
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from contest.models import User

KEY_LIMIT_CHARS = 40


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody signed in, as of the moment when the session was read."""

    user: User
    session_key: str
    expires_at: datetime

    @property
    def user_id(self) -> int:
        return self.user.pk

    @property
    def session_digest(self) -> str:
        return digest(self.session_key)


def digest(session_key: str) -> str:
    """What stands for a session outside this process."""
    return hashlib.sha256(session_key.encode()).hexdigest()


def session_key_of(headers: Iterable[tuple[bytes, bytes]]) -> str:
    """The session cookie of a handshake; empty if there is none, or if it is no key that Django could have made:
    Django also takes what is quoted, which may hold a NUL that PostgreSQL refuses."""
    for name, value in headers:
        if name == b"cookie":
            key = parse_cookie(value.decode("latin-1")).get(settings.SESSION_COOKIE_NAME, "")
            return key if key.isascii() and key.isalnum() and len(key) <= KEY_LIMIT_CHARS else ""
    return ""


def read_visitors(session_keys: Sequence[str]) -> list[Visitor | None]:
    """The visitor of each session; None where it does not exist, has run out, or its user may not sign in."""
    wanted = {key for key in session_keys if key}
    if not wanted:
        return [None] * len(session_keys)
    sessions = Session.objects.filter(session_key__in=wanted, expire_date__gt=timezone.now())
    found = {session.session_key: (session, session.get_decoded()) for session in sessions}
    ids = [str(data[SESSION_KEY]) for _, data in found.values() if SESSION_KEY in data]
    users = {str(user.pk): user for user in User.objects.filter(pk__in=ids, is_active=True)}
    visitors = {key: _visitor(session, data, users) for key, (session, data) in found.items()}
    return [visitors.get(key) for key in session_keys]


def _visitor(session: Session, data: dict[str, Any], users: dict[str, User]) -> Visitor | None:
    user = users.get(str(data.get(SESSION_KEY)))
    if user is None or data.get(BACKEND_SESSION_KEY) not in settings.AUTHENTICATION_BACKENDS:
        return None
    if not _is_of_current_password(user, str(data.get(HASH_SESSION_KEY, ""))):
        return None
    return Visitor(user, session.session_key, session.expire_date)


def _is_of_current_password(user: User, session_hash: str) -> bool:
    """A changed password ends all sessions; a rotated SECRET_KEY ends none while the old one is a fallback."""
    hashes = [user.get_session_auth_hash(), *user.get_session_auth_fallback_hash()]
    return any(constant_time_compare(session_hash, each) for each in hashes)
