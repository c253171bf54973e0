"""`POST /rt/<slug>/commands`: what goes up beside event streams, on any node. See docs/protocol.md."""

from __future__ import annotations

import asyncio
import io
import logging
from typing import Any

from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse, HttpResponseForbidden
from django.middleware.csrf import CsrfViewMiddleware

from realtime.clock import now_ms, server_time
from realtime.consumers import routes
from realtime.consumers.commands import AWAY
from realtime.entry.addresses import limited_address
from realtime.entry.sessions import Visitor, session_key_of
from realtime.fallback.bodies import Frames, NotTaken, read_body, read_request
from realtime.fallback.carrier import closed, named
from realtime.fallback.http import answer, is_from_own_page
from realtime.fallback.stream_request import StreamRequest
from realtime.node.node import Node, current_node
from realtime.wire import frames
from realtime.wire.admission import AttemptLimit
from realtime.wire.held import Bodies
from realtime.wire.protocol import CloseCode, EndCode

BODY_LIMIT_BYTES = 2 * 1024 * 1024
STRANGERS_LIMIT_BYTES = 64 * 1024
"""Nothing that strangers send is done: enough to tell them so for each stream."""
HELD_LIMIT_BYTES = 2 * BODY_LIMIT_BYTES
"""Of bodies that are on their way or being worked on, for whoever requests are counted by."""
UNIT_BYTES = 64 * 1024
UNITS_A_SECOND = 16
"""A mebibyte a second, as on a socket."""
NOT_NOW = b"Not now.\n"
REQUESTS_A_SECOND = 20
"""Of one person over all documents, or of all strangers at one address. A page sends together what has come up in
one turn of its loop."""

logger = logging.getLogger(__name__)

_requests = AttemptLimit(REQUESTS_A_SECOND)
_volume = AttemptLimit(UNITS_A_SECOND)
_bodies = Bodies(HELD_LIMIT_BYTES)


async def commands(scope: dict[str, Any], receive: Any, send: Any, slug: str) -> None:
    """The ASGI application."""
    if scope["method"] != "POST":
        await answer(send, 405, b"Only POST.\n", allow=b"POST")
        return
    if not is_from_own_page(scope["headers"]) or not _has_csrf_token(scope):
        await answer(send, 403, b"The CSRF token is missing, or the page is a foreign one.\n")
        return
    node = current_node()
    try:
        visitor = await node.visitors.submit(session_key_of(scope["headers"]))
    except Exception as error:
        logger.warning("nobody can be recognised now: %s", error)
        await _answer_busy(scope, receive, send)
        return
    payer = _payer(scope, visitor)
    if not _requests.admits(payer, now_ms()):
        await answer(send, 429, b"Too many requests a second.\n")
        return
    with _bodies.room(payer) as takes:
        try:
            body = await read_body(receive, STRANGERS_LIMIT_BYTES if visitor is None else BODY_LIMIT_BYTES, takes)
        except NotTaken as refused:
            await answer(send, refused.status, refused.words)
            return
        await _answer_body(send, node, visitor, slug, body)


async def _answer_body(send: Any, node: Node, visitor: Visitor | None, slug: str, body: bytes) -> None:
    if visitor is not None and not _is_in_volume(visitor, len(body)):
        await answer(send, 429, b"Too much a second.\n")
    elif (given := read_request(body)) is None:
        await answer(send, 400, b"This is no object with a client and its frames.\n")
    else:
        await _answer_frames(send, await _serve(node, visitor, slug, *given))


def _payer(scope: dict[str, Any], visitor: Visitor | None) -> str | None:
    """Whose requests are counted: a person's, wherever they come from, or a stranger's address."""
    return limited_address(scope) if visitor is None else f"person {visitor.user_id}"


async def _answer_busy(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """The database is away. Whoever it is keeps stream and commands, and comes again; words and credit are lost."""
    with _bodies.room(limited_address(scope)) as takes:
        try:
            given = read_request(await read_body(receive, STRANGERS_LIMIT_BYTES, takes))
        except NotTaken:
            given = None
    if given is None:
        await answer(send, 503, NOT_NOW)
        return
    _, _, by_stream = given
    listed = [(name, frame.get("client_seq")) for name, all_of_it in by_stream.items() for frame in all_of_it]
    await _answer_frames(send, [_busy(name, number) for name, number in listed if isinstance(number, int)])


def _busy(name: str, client_seq: int) -> str:
    code, message, retry_after_ms = AWAY
    refusal = frames.refusal(
        client_seq, code, message, server_time=server_time(), held_ms=0, retry_after_ms=retry_after_ms
    )
    return named(name, refusal)


async def _answer_frames(send: Any, written: list[str]) -> None:
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


async def _serve(
    node: Node, visitor: Visitor | None, slug: str, client: str, user: int | None, by_stream: Frames
) -> list[str]:
    """Streams side by side, the frames of one in order."""
    if visitor is None or user not in (None, visitor.user_id):
        return [line for name in by_stream for line in _signed_out(name)]
    work = (_serve_stream(node, name, slug, visitor, client, given) for name, given in by_stream.items())
    return [line for answers in await asyncio.gather(*work) for line in answers]


async def _serve_stream(
    node: Node, name: str, slug: str, visitor: Visitor, client: str, given: list[dict[str, Any]]
) -> list[str]:
    found = routes.find(routes.path_of(name, slug))
    if found is None:
        return _ended(name, EndCode.NOT_FOUND, "There is no such stream.", CloseCode.NOT_FOUND)
    consumer, target = found
    return await StreamRequest(name, consumer(), target, node, visitor, client).serve(given)


def _signed_out(name: str) -> list[str]:
    return _ended(name, EndCode.SIGNED_OUT, "Sign in to go on.", CloseCode.SIGNED_OUT)


def _ended(name: str, code: EndCode, message: str, close_code: CloseCode) -> list[str]:
    return [named(name, frames.end(code, message)), closed(name, close_code)]
