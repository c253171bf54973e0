"""`POST /rt/<slug>/commands`: what goes up beside event streams, on any node. See docs/protocol.md."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import re
from typing import Any

from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse, HttpResponseForbidden
from django.middleware.csrf import CsrfViewMiddleware

from realtime.clock import now_ms
from realtime.consumers import routes
from realtime.entry.addresses import limited_address
from realtime.entry.sessions import Visitor, session_key_of
from realtime.fallback.carrier import closed, named
from realtime.fallback.desk import Desk
from realtime.fallback.events import NAME, STREAMS_LIMIT
from realtime.fallback.http import answer, is_from_own_page
from realtime.node.node import Node, current_node
from realtime.wire import frames
from realtime.wire.admission import AttemptLimit
from realtime.wire.protocol import CloseCode, EndCode

BODY_LIMIT_BYTES = 2 * 1024 * 1024
STRANGERS_LIMIT_BYTES = 64 * 1024
"""Nothing that strangers send is done: enough to tell them so for each stream."""
UNIT_BYTES = 64 * 1024
UNITS_A_SECOND = 16
"""A mebibyte a second, as on a socket."""
NOT_NOW = b"Not now.\n"
FRAMES_LIMIT = 64
REQUESTS_A_SECOND = 20
"""Of one person over all documents, or of all strangers at one address. A page sends together what has come up in
one turn of its loop."""
CLIENT = re.compile(r"[A-Za-z0-9_-]{1,64}")

logger = logging.getLogger(__name__)

_requests = AttemptLimit(REQUESTS_A_SECOND)
_volume = AttemptLimit(UNITS_A_SECOND)

Frames = dict[str, list[dict[str, Any]]]


async def commands(scope: dict[str, Any], receive: Any, send: Any, slug: str) -> None:
    """The ASGI application."""
    if scope["method"] != "POST":
        await answer(send, 405, b"Only POST.\n")
        return
    if not is_from_own_page(scope["headers"]) or not _has_csrf_token(scope):
        await answer(send, 403, b"The CSRF token is missing, or the page is a foreign one.\n")
        return
    node = current_node()
    try:
        visitor = await node.visitors.submit(session_key_of(scope["headers"]))
    except Exception:  # the database is away: the page keeps its commands and comes again
        await answer(send, 503, NOT_NOW)
        return
    if not _requests.admits(_payer(scope, visitor), now_ms()):
        await answer(send, 429, b"Too many requests a second.\n")
        return
    body = await _read_body(receive, STRANGERS_LIMIT_BYTES if visitor is None else BODY_LIMIT_BYTES)
    if body is None:
        await answer(send, 413, b"This is too large.\n")
    elif visitor is not None and not _is_in_volume(visitor, len(body)):
        await answer(send, 429, b"Too much a second.\n")
    elif (given := read_request(body)) is None:
        await answer(send, 400, b"This is no object with a client and its frames.\n")
    else:
        await _answer_frames(send, await _serve(node, visitor, slug, *given))


def _payer(scope: dict[str, Any], visitor: Visitor | None) -> str | None:
    """Whose requests are counted: a person's, wherever they come from, or a stranger's address."""
    return limited_address(scope) if visitor is None else f"person {visitor.user_id}"


async def _answer_frames(send: Any, written: list[str] | None) -> None:
    if written is None:
        await answer(send, 503, NOT_NOW)
    else:
        await answer(send, 200, answer_of(written).encode(), b"application/json")


def answer_of(written: list[str]) -> str:
    return f'{{"frames":[{",".join(written)}]}}'


def _is_in_volume(visitor: Visitor, size_bytes: int) -> bool:
    """Parsing a body holds up the event loop, and with it everybody's pings."""
    units = 1 + size_bytes // UNIT_BYTES
    return all(_volume.admits(str(visitor.user_id), now_ms()) for _ in range(units))


class _CsrfGuard(CsrfViewMiddleware):
    """Django's rules, without the page that it answers with."""

    def _reject(self, request: HttpRequest, reason: str) -> HttpResponseForbidden:
        return HttpResponseForbidden()


def _has_csrf_token(scope: dict[str, Any]) -> bool:
    """By the headers alone: the token is not looked for in the body."""
    guard = _CsrfGuard(lambda request: HttpResponse())
    request = ASGIRequest(scope | {"query_string": b""}, io.BytesIO())
    guard.process_request(request)
    return guard.process_view(request, lambda request: HttpResponse(), (), {}) is None


async def _read_body(receive: Any, limit_bytes: int) -> bytes | None:
    """None: too large, or the client is gone."""
    parts, size = [], 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > limit_bytes:
            return None
        if not message.get("more_body", False):
            return b"".join(parts)


def read_request(body: bytes) -> tuple[str, int | None, Frames] | None:
    """The document's id, whose page it says it is, and its frames by stream."""
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(given, dict):
        return None
    client, listed = given.get("client"), given.get("frames")
    if not isinstance(client, str) or not CLIENT.fullmatch(client):
        return None
    user = given.get("user")
    if user is not None and (not isinstance(user, int) or isinstance(user, bool)):
        return None
    if not isinstance(listed, list) or len(listed) > FRAMES_LIMIT:
        return None
    by_stream: Frames = {}
    for frame in listed:
        name = frame.get("stream") if isinstance(frame, dict) else None
        if not isinstance(name, str) or not NAME.fullmatch(name):
            return None
        by_stream.setdefault(name, []).append(frame)
    return (client, user, by_stream) if len(by_stream) <= STREAMS_LIMIT else None


async def _serve(
    node: Node, visitor: Visitor | None, slug: str, client: str, user: int | None, by_stream: Frames
) -> list[str] | None:
    """Streams side by side, the frames of one in order. None: the database is away."""
    if visitor is None or user not in (None, visitor.user_id):
        return [line for name in by_stream for line in _signed_out(name)]
    work = (_serve_stream(node, name, slug, visitor, client, given) for name, given in by_stream.items())
    answers = await asyncio.gather(*work, return_exceptions=True)
    for each in answers:
        if isinstance(each, BaseException):
            logger.warning("commands could not be taken now: %s", each)
            return None
    return [line for each in answers if not isinstance(each, BaseException) for line in each]


async def _serve_stream(
    node: Node, name: str, slug: str, visitor: Visitor, client: str, given: list[dict[str, Any]]
) -> list[str]:
    found = routes.find(routes.path_of(name, slug))
    if found is None:
        return _ended(name, EndCode.NOT_FOUND, "There is no such stream.", CloseCode.NOT_FOUND)
    consumer, target = found
    return await Desk(name, consumer(), target, node, visitor, client).serve(given)


def _signed_out(name: str) -> list[str]:
    return _ended(name, EndCode.SIGNED_OUT, "Sign in to go on.", CloseCode.SIGNED_OUT)


def _ended(name: str, code: EndCode, message: str, close_code: CloseCode) -> list[str]:
    return [named(name, frames.end(code, message)), closed(name, close_code)]
