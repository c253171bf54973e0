"""What went wrong, in words, for people. None of these pages says anything about the inside."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


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
    return render(None, "errors/server_error.html", status=500)


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
