"""What a request carries: read no further than its limit, and taken only if all of it is of the right form."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from realtime.fallback.events import NAME, STREAMS_LIMIT

FRAMES_LIMIT = 64
CLIENT = re.compile(r"[A-Za-z0-9_-]{1,64}")

Frames = dict[str, list[dict[str, Any]]]


class NotTaken(Exception):
    """A body that is not read to its end; `status` and `words` are the answer."""

    def __init__(self, status: int, words: bytes) -> None:
        super().__init__(status, words)
        self.status, self.words = status, words


async def read_body(receive: Any, limit_bytes: int, takes: Callable[[int], bool]) -> bytes:
    """Raises NotTaken if it is too large, if its sender has too much under way, or if the client is gone."""
    parts, left_bytes = [], limit_bytes
    while True:
        message = await receive()
        part = message.get("body", b"")
        left_bytes -= len(part)
        if message["type"] == "http.disconnect" or left_bytes < 0:
            raise NotTaken(413, b"This is too large.\n")
        if not takes(len(part)):
            raise NotTaken(429, b"Too much at once.\n")
        parts.append(part)
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
