"""What a service refuses, in words that a person can be shown."""

from __future__ import annotations


class Refused(Exception):
    """A rule of the contest says no, and nothing was changed.

    `code` is an error code of the wire protocol ("forbidden", "bad-request", "not-found", "busy");
    `message` is one sentence for the person who asked; `retry_after_ms` says when asking again may help.
    """

    def __init__(self, code: str, message: str, retry_after_ms: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.retry_after_ms = retry_after_ms
