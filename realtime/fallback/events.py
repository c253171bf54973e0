"""`GET /rt/<slug>/events`: the streams of one visible document in one response. See docs/protocol.md."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import secrets
from typing import Any
from urllib.parse import parse_qs

from realtime import metrics
from realtime.consumers import routes
from realtime.consumers.lost import no_such_stream
from realtime.fallback.carrier import EventStream, Substream
from realtime.fallback.http import answer, is_from_own_page
from realtime.wire import protocol

logger = logging.getLogger(__name__)

STREAMS_LIMIT = 8
NAME = re.compile(r"[a-z]{1,20}(/[0-9]{1,15})?")
SAID = ("try", "cause", "gap_ms", "stats", "user")
"""What of a `hello` frame may stand in the address, which logs and histories keep: no token does."""


class BadAddress(Exception):
    """The sentence says what is wrong with it."""


async def events(scope: dict[str, Any], receive: Any, send: Any, slug: str) -> None:
    """The ASGI application."""
    if scope["method"] != "GET":
        await answer(send, 405, b"Only GET.\n", allow=b"GET")
    elif not is_from_own_page(scope["headers"]):
        await answer(send, 403, b"Not from a foreign page.\n")
    else:
        try:
            hellos = read_address(scope["query_string"])
        except BadAddress as error:
            await answer(send, 400, f"{error}\n".encode())
            return
        await _carry(scope, receive, send, slug, hellos)


def read_address(query: bytes) -> dict[str, str]:
    """The `hello` of each stream, by name. Raises BadAddress."""
    given = {name: values[0] for name, values in parse_qs(query.decode("latin-1")).items()}
    names = list(dict.fromkeys(given.get("streams", "").split(",")))
    if len(names) > STREAMS_LIMIT or not all(NAME.fullmatch(name) for name in names):
        raise BadAddress(f"streams must name at most {STREAMS_LIMIT} streams")
    cursors, said = _mapping(given, "cursor"), _mapping(given, "hello")
    client = given.get("client") or secrets.token_hex(16)
    return {name: _hello(client, cursors.get(name), said.get(name)) for name in names}


def _mapping(given: dict[str, str], name: str) -> dict[str, Any]:
    try:
        value = json.loads(given.get(name, "{}"))
    except (ValueError, RecursionError) as error:
        raise BadAddress(f"{name} is not JSON") from error
    if not isinstance(value, dict):
        raise BadAddress(f"{name} is no object of streams")
    return value


def _hello(client: str, cursor: Any, said: Any) -> str:
    more = {key: said[key] for key in SAID if key in said} if isinstance(said, dict) else {}
    frame = {"type": "hello", "protocol": protocol.VERSION, "client": client, **more}
    try:
        return json.dumps(frame if cursor is None else frame | {"cursor": cursor})
    except RecursionError as error:  # nested so deeply that it could just be read
        raise BadAddress("the address is nested too deeply") from error


async def _carry(scope: dict[str, Any], receive: Any, send: Any, slug: str, hellos: dict[str, str]) -> None:
    """Until all streams are closed or the client is gone; then nothing of it is left."""
    stream = EventStream(send)
    await stream.begin()
    substreams = [Substream(name, stream, hello) for name, hello in hellos.items()]
    running: asyncio.Future[Any] = asyncio.gather(*(_run(substream, scope, slug) for substream in substreams))
    gone: asyncio.Future[Any] = asyncio.create_task(_until_gone(receive))
    comments = asyncio.create_task(stream.comment_for_ever())
    metrics.event_streams.inc()
    try:
        await asyncio.wait([running, gone], return_when=asyncio.FIRST_COMPLETED)
    finally:
        for substream in substreams:
            substream.disconnect()
        for task in (gone, comments):
            task.cancel()
        await asyncio.gather(running, gone, comments, return_exceptions=True)
        metrics.event_streams.dec()
    await stream.end()


async def _run(substream: Substream, scope: dict[str, Any], slug: str) -> None:
    path = routes.path_of(substream.name, slug)
    found = routes.find(path)
    as_socket = scope | {"type": "websocket", "path": path, "carrier": "events"}
    try:
        if found is None:
            await no_such_stream(as_socket, substream.receive, substream.send)
            return
        consumer, target = found
        await consumer()(as_socket | {"url_route": {"kwargs": {"target": target}}}, substream.receive, substream.send)
    except Exception:
        logger.exception("a stream failed")  # the other streams of the response go on


async def _until_gone(receive: Any) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
