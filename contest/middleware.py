"""What no page may be asked for, who may keep a page, and every page in the viewer's time zone and language."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from zoneinfo import ZoneInfo, available_timezones

from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.utils import timezone, translation

from contest.models import User

ZONE_COOKIE = "fathom_tz"
"""What the browser says of itself; a person's own choice goes before it."""
READING = ("SELECT", "BEGIN", "SAVEPOINT", "RELEASE", "ROLLBACK", "SET", "PRAGMA")
"""How statements begin that store nothing."""
_HAS_WRITTEN = "_has_written"


@lru_cache(maxsize=1)
def known_zones() -> frozenset[str]:
    return frozenset(available_timezones())


class NoZeroBytes:
    """PostgreSQL takes no NUL, not even to look for one: an address with it is refused before anything is looked up.

    Forms check their own fields.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "\x00" in request.path or "%00" in request.META.get("QUERY_STRING", ""):
            raise SuspiciousOperation("a zero byte in the address")
        return self.get_response(request)


class WatchedWrites:
    """Remembers whether anything was written for a request, so that nobody is told the contrary if it then fails."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        def watch(execute: Callable[..., object], sql: str, params: object, many: bool, context: object) -> object:
            if not sql.lstrip("( \n").upper().startswith(READING):
                setattr(request, _HAS_WRITTEN, True)
            return execute(sql, params, many, context)

        with connection.execute_wrapper(watch):
            return self.get_response(request)


def may_have_stored(request: HttpRequest) -> bool:
    """Whether a statement of this request has changed anything, even if it was rolled back: a lost connection leaves
    open whether its last commit came to pass."""
    return hasattr(request, _HAS_WRITTEN)


class PrivatePages:
    """What says nothing of itself is somebody's own page: no cache between may keep it or give it to others."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Cache-Control", "private, no-cache")
        return response


class ViewerPreferences:
    """Activates the time zone for one request: the person's choice, else the browser's, else UTC."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        chosen = request.user.time_zone if isinstance(request.user, User) else ""
        name = chosen or request.COOKIES.get(ZONE_COOKIE, "")
        language = request.user.language if isinstance(request.user, User) else ""
        if language in dict(settings.LANGUAGES):  # not every language that Django happens to know
            translation.activate(language)
        with timezone.override(ZoneInfo(name) if name in known_zones() else None):
            return self.get_response(request)
