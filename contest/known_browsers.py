"""Browsers from which somebody has signed in before: strangers' wrong passwords do not lock them out.

The threat: in a class room all share one address, so whoever types wrong passwords for another's name there
would keep the other out when the other's session ends in the middle of a contest. A browser that knew the
password once carries a signed cookie that names the account; its own wrong passwords are counted apart, as
strictly. Stolen, it gives as many guesses as anybody has, and nothing else.
"""

from __future__ import annotations

import secrets
from typing import Any

from django.conf import settings
from django.core import signing
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse

from contest.models import User

COOKIE = "fathom_known"
KEPT_S = 180 * 24 * 3600
_SALT = "contest.known_browsers"


def remember(response: HttpResponse, user: User) -> None:
    """The browser that gets `response` has just signed in as `user`."""
    known = signing.dumps([user.get_username(), secrets.token_urlsafe(12)], salt=_SALT)
    response.set_cookie(
        COOKIE, known, max_age=KEPT_S, httponly=True, samesite="Lax", secure=settings.SESSION_COOKIE_SECURE
    )


def may_try(request: HttpRequest, credentials: dict[str, Any] | None) -> bool:
    """Whether this sign-in is of a browser that knows the account and has not guessed too often itself."""
    browser = _browser(request, credentials)
    return browser is not None and cache.get(_key(browser), 0) < settings.AXES_FAILURE_LIMIT


def count_failure(request: HttpRequest | None, credentials: dict[str, Any], **_: Any) -> None:
    """A receiver of `user_login_failed`."""
    browser = _browser(request, credentials)
    if browser is not None:
        cache.add(_key(browser), 0, timeout=int(settings.AXES_COOLOFF_TIME * 3600))
        cache.incr(_key(browser))


def _browser(request: HttpRequest | None, credentials: dict[str, Any] | None) -> str | None:
    """The id of the browser, if it knows the account that somebody wants to enter."""
    cookie = request.COOKIES.get(COOKIE, "") if request is not None else ""
    if not cookie or not credentials:
        return None
    try:
        username, browser = signing.loads(cookie, salt=_SALT, max_age=KEPT_S)
    except (signing.BadSignature, ValueError):
        return None
    return str(browser) if username == credentials.get("username") else None


def _key(browser: str) -> str:
    return f"wrong-passwords-{browser}"
