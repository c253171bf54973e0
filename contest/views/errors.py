"""What went wrong, in words, for people. None of these pages says anything about the inside."""

from __future__ import annotations

import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from contest.middleware import may_have_stored
from contest.models import User
from contest.views.asked import CODE_OF, error_json, wants_json

RETRY_AFTER_S = 5
NOTHING_STORED = "The site cannot reach its database. Nothing you sent was stored; try again in a few seconds."
MAYBE_STORED = (
    "The site lost its database while it was storing what you sent, so it may or may not be stored. "
    "Wait a few seconds, then look before you send it again."
)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _say(request, 400, "This request cannot be understood", "Go back, check what you sent and try again.")


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    words = str(exception or "") or "You may not see this page or do this."
    return _say(request, 403, "Not allowed", words)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    first = exception.args[0] if exception is not None and exception.args else ""
    words = first if isinstance(first, str) and first else "There is no page at this address."
    return _say(request, 404, "Not found", words)


def server_error(request: HttpRequest) -> HttpResponse:
    """Without the database, the session or context processors: any of them may be what failed."""
    if _is_database_away(sys.exc_info()[1]):
        return _database_away(request)
    return render(None, "errors/server_error.html", status=500)


def _is_database_away(error: BaseException | None) -> bool:
    """SQLite has one class for a file that cannot be used and for a statement that is wrong: that is a fault."""
    is_statement_wrong = getattr(error and error.__cause__, "sqlite_errorname", "") == "SQLITE_ERROR"
    return isinstance(error, OperationalError | InterfaceError) and not is_statement_wrong


def _database_away(request: HttpRequest) -> HttpResponse:
    is_safe = request.method in ("GET", "HEAD", "OPTIONS")
    words = NOTHING_STORED if is_safe or not may_have_stored(request) else MAYBE_STORED
    if wants_json(request):
        response: HttpResponse = error_json(503, "unavailable", words, retry_after_ms=RETRY_AFTER_S * 1000)
    else:
        said = {"title": "The database is away", "words": words, "status": 503}
        response = render(None, "errors/bare.html", said, status=503)
    response["Retry-After"], response["Cache-Control"] = str(RETRY_AFTER_S), "no-store"
    return response


def too_many_accounts(request: HttpRequest) -> HttpResponse:
    words = "Many accounts were made from your network within an hour. Try again later, or ask the organisers for one."
    return _say(request, 429, "Too many new accounts", words)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return _say(
        request,
        403,
        "This form is out of date",
        "The page was open for too long, you signed in or out in another tab, or cookies are switched off. "
        "Go back, reload the page and send the form again. What you typed is kept by most browsers.",
        code="out-of-date",
    )


def another_person(request: HttpRequest) -> HttpResponse:
    """A form of a page that was made for somebody else: nothing of it is done."""
    name = request.user.shown_name if isinstance(request.user, User) else ""
    return _say(
        request,
        409,
        "Somebody else is signed in now",
        f"This form is on a page of another person; this browser is signed in as {name} by now. Nothing was sent.",
        code="other-user",
    )


def _say(request: HttpRequest, status: int, title: str, words: str, code: str = "") -> HttpResponse:
    if wants_json(request):
        return error_json(status, code or CODE_OF.get(status, "bad-request"), words)
    return render(request, "errors/error.html", {"title": title, "words": words, "status": status}, status=status)
