"""Passwords are hashed a few at a time.

The threat: a hash takes a third of a second of one core by design, known name or not, and whoever sends wrong
passwords under random names is stopped by no count of attempts. Without a bound a handful of such clients takes all
cores, and every page waits. So half of the cores do it at once, others wait for a moment, and who waits in vain is
told to come again, which counts as no attempt.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

AT_ONCE = max(1, (os.cpu_count() or 2) // 2)
WAIT_S = 10.0
"""Some 30 people for each core get through in that time: a class that signs in together waits, and is let in."""
RETRY_AFTER_S = 10

_turns = threading.BoundedSemaphore(AT_ONCE)


class HashingBusy(Exception):
    """Too many passwords are being hashed."""


class BoundedPBKDF2PasswordHasher(PBKDF2PasswordHasher):
    """Django's own: the same hashes, which either can check. Raises HashingBusy."""

    def encode(self, password: str, salt: str, iterations: int | None = None) -> str:
        if not _turns.acquire(timeout=WAIT_S):
            raise HashingBusy
        try:
            return super().encode(password, salt, iterations)
        finally:
            _turns.release()


class HashingInTurn:
    """Middleware: whoever waited in vain is told so in words, whatever page it was."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, HashingBusy):
            return None
        words = "Too many people are signing in right now. Nothing was changed; try again in a few seconds."
        said = {"title": "Busy", "words": words, "status": 503}
        response = render(None, "errors/bare.html", said, status=503)
        response["Retry-After"], response["Cache-Control"] = str(RETRY_AFTER_S), "no-store"
        return response
