"""A cap on the bodies of requests, before anything of them is kept.

Django's ASGI handler writes a whole body to memory or disk before it calls a view, whoever sent it;
so the cap stands in front of it. Too large is answered with 413 in words. Large bodies (problem
packages) are let through at one address only, from those who are signed in, one of each person and only
a few at a time: bodies that come byte by byte would keep the jury's out for as long as their sender likes.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from django.template.loader import render_to_string

from contest.packages.archive.caps import DEFAULT_CAPS, MIB
from realtime.entry.addresses import limited_address
from realtime.wire.held import Bodies

Scope = dict[str, Any]
Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Identify = Callable[[Scope], Awaitable[int | None]]
"""Who sends a request, by number; None: a stranger. May raise anything: then it is not known now."""

USUAL_BYTES = 2 * MIB
PACKAGE_BYTES = DEFAULT_CAPS.archive_bytes + MIB
"""The largest archive and the form around it."""
PACKAGE_PATH = re.compile(r"/staff/contests/[^/]+/packages/")
SMALL_BYTES = 512 * 1024
"""Every solution and every notice is smaller; what is beyond it in a body counts for its address."""
HELD_BYTES = 32 * MIB
"""Of what counts, for one address: strangers may send, too, and hold what they have begun to send."""
LARGE_AT_ONCE = 2
DRAINED_BYTES = 64 * MIB
"""As much of a refused body is read and thrown away: a browser shows an answer only after it has sent."""

logger = logging.getLogger(__name__)


class BodyLimit:
    """Wraps the HTTP application."""

    def __init__(self, app: App, identify: Identify) -> None:
        self.app = app
        self._identify = identify
        self._large_of: set[int] = set()
        """Whose large bodies are under way."""
        self._bodies = Bodies(HELD_BYTES)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        if scope.get("method") != "POST" or PACKAGE_PATH.fullmatch(scope["path"]) is None:
            return await self._limited(scope, receive, send, USUAL_BYTES)
        try:
            person = await self._identify(scope)
        except Exception as error:
            logger.warning("nobody can be recognised now: %s", error)
            await _drain(receive)
            return await _answer(send, 503, "The site cannot take a package now. Please try again in a minute.")
        if person is None:
            return await self._limited(scope, receive, send, USUAL_BYTES)
        if person in self._large_of or len(self._large_of) >= LARGE_AT_ONCE:
            await _drain(receive)
            return await _answer(send, 503, "Other packages are being uploaded. Please try again in a minute.")
        self._large_of.add(person)
        try:
            return await self._limited(scope, receive, send, PACKAGE_BYTES)
        finally:
            self._large_of.discard(person)

    async def _limited(self, scope: Scope, receive: Receive, send: Send, limit: int) -> None:
        most = DEFAULT_CAPS.archive_bytes if limit == PACKAGE_BYTES else limit
        words = f"This upload is too large: at most {most // MIB} MiB are taken. Go back and choose something smaller."
        if _announced_bytes(scope) > limit:
            await _drain(receive)
            return await _answer(send, 413, words)
        started = False

        async def note_start(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        payer = limited_address(scope) if limit == USUAL_BYTES else None
        with self._bodies.room(payer) as takes:
            counter = _Counter(receive, limit, takes)
            await self.app(scope, counter, note_start)
        if counter.is_refused and not started:
            await _answer(send, 503, "Too much is being sent from your network. Please try again in a minute.")
        elif counter.is_over and not started:
            await _answer(send, 413, words)
        return None


class _Counter:
    """Passes the body on up to the limit; beyond it the application is told that the client has gone."""

    def __init__(self, receive: Receive, limit: int, takes: Callable[[int], bool]) -> None:
        self._receive, self._takes = receive, takes
        self._left, self._small_left = limit, SMALL_BYTES
        self.is_over = self.is_refused = False

    async def __call__(self) -> Message:
        if self.is_over or self.is_refused:
            return {"type": "http.disconnect"}
        message = await self._receive()
        size = len(message.get("body", b""))
        self._left -= size
        self.is_over = self._left < 0
        counted, self._small_left = max(0, size - self._small_left), max(0, self._small_left - size)
        self.is_refused = not self.is_over and counted > 0 and not self._takes(counted)
        return {"type": "http.disconnect"} if self.is_over or self.is_refused else message


def _announced_bytes(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit() and len(value) < 19:
            return int(value)
    return 0


async def _drain(receive: Receive) -> None:
    left = DRAINED_BYTES
    while left > 0:
        message = await receive()
        left -= len(message.get("body", b""))
        if message["type"] == "http.disconnect" or not message.get("more_body", False):
            return


async def _answer(send: Send, status: int, words: str) -> None:
    title = {413: "Too large", 503: "Busy"}[status]
    # No view answers here, so the page is one that needs nothing but its words.
    body = render_to_string("errors/bare.html", {"status": status, "title": title, "words": words}).encode()
    headers = [
        (b"content-type", b"text/html; charset=utf-8"),
        (b"content-security-policy", b"default-src 'none'; style-src 'self'"),
        (b"x-content-type-options", b"nosniff"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
