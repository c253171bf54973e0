"""What went wrong, in words, for people. None of these pages says anything about the inside."""

from __future__ import annotations

import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from contest.middleware import may_have_stored

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
    if _wants_json(request):
        error = {"code": "unavailable", "message": words, "retry_after_ms": RETRY_AFTER_S * 1000}
        response: HttpResponse = JsonResponse({"error": error}, status=503)
    else:
        said = {"title": "The database is away", "words": words, "status": 503}
        response = render(None, "errors/bare.html", said, status=503)
    response["Retry-After"], response["Cache-Control"] = str(RETRY_AFTER_S), "no-store"
    return response


def _wants_json(request: HttpRequest) -> bool:
    """Asked for it, or sent it."""
    accepted = request.headers.get("Accept", "")
    asked = request.GET.get("format") == "json" or ("application/json" in accepted and "text/html" not in accepted)
    return asked or request.content_type == "application/json"


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
    )


def _say(request: HttpRequest, status: int, title: str, words: str) -> HttpResponse:
    return render(request, "errors/error.html", {"title": title, "words": words, "status": status}, status=status)
