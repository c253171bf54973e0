"""The site's protocol, version 1, as a browser's page speaks it (docs/protocol.md), and what a client must notice.

A frame lost on the way shows as a gap (`after` beyond what this client has), one told twice as a duplicate.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from bench.wire.client import Client
from bench.wire.crowd import Crowd

SEEN_FRAMES = 32
SEEN_BYTES = 64 * 1024
SEEN_AFTER_NS = 1_000_000_000

OnFrame = Callable[[Client, dict[str, Any], int], None]
"""Told (client, frame, monotonic nanoseconds) of events or replies."""


def _ignore(client: Client, frame: dict[str, Any], at_ns: int) -> None:
    pass


@lru_cache(maxsize=64)
def _shared(payload: bytes) -> Any:
    """Events go to many clients as the same bytes: they are parsed once. Nobody may change what this answers."""
    return json.loads(payload)


class Fathom:
    """The dialect of one stream. `on_event`, `on_reply` and `on_timer` may be set by a scenario."""

    def __init__(self, crowd: Crowd) -> None:
        self._crowd = crowd
        self._unseen: dict[Client, int] = {}
        self.gaps = 0
        self.duplicates = 0
        self.pings = 0
        self.ends: list[dict[str, Any]] = []
        """`end` and `retry` frames: why the server closed."""
        self.on_event: OnFrame = _ignore
        self.on_reply: OnFrame = _ignore
        crowd.each_turn(self._see_what_waits)

    def on_open(self, client: Client) -> None:
        client.cursor = {}
        client.json_frames = client.unseen_frames = client.unseen_bytes = 0
        cause = "first" if client.tries == 1 else "close"
        document = secrets.token_hex(16)
        hello = {"type": "hello", "protocol": 1, "client": document, "try": client.tries - 1, "cause": cause}
        self._crowd.send(client, json.dumps(hello | {"gap_ms": 0}).encode())

    def on_text(self, client: Client, payload: bytes, at_ns: int) -> None:
        if payload == b"ping":
            self.pings += 1
            self._crowd.send(client, b"pong")
            return
        self._count(client, len(payload), at_ns)
        if payload.startswith(b'{"type":"event"'):
            frame = _shared(payload)
            self._follow(client, frame)
            self.on_event(client, frame, at_ns)
        else:
            self._take(client, json.loads(payload), at_ns)

    def _take(self, client: Client, frame: dict[str, Any], at_ns: int) -> None:
        kind = frame["type"]
        if kind == "reply":
            self.on_reply(client, frame, at_ns)
        elif kind in ("snapshot", "synced"):
            client.cursor = {topic: cursor["seq"] for topic, cursor in frame["cursor"].items()}
            if kind == "synced":
                self._crowd.ready(client)
        elif kind in ("end", "retry"):
            self.ends.append(frame)

    def _follow(self, client: Client, event: dict[str, Any]) -> None:
        known = client.cursor.get(event["topic"], 0)
        if event["after"] > known:
            self.gaps += 1
        if event["seq"] <= known:
            self.duplicates += 1
        else:
            client.cursor[event["topic"]] = event["seq"]

    # --- `seen` -----------------------------------------------------------------------------------

    def _count(self, client: Client, size_bytes: int, at_ns: int) -> None:
        client.json_frames += 1
        client.unseen_frames += 1
        client.unseen_bytes += size_bytes
        if client.unseen_frames >= SEEN_FRAMES or client.unseen_bytes >= SEEN_BYTES:
            self._see(client)
            self._unseen.pop(client, None)
        elif client not in self._unseen:
            self._unseen[client] = at_ns + SEEN_AFTER_NS

    def _see_what_waits(self, now_ns: int) -> None:
        """The queue is in order of time."""
        while self._unseen:
            client, due_ns = next(iter(self._unseen.items()))
            if due_ns > now_ns:
                return
            del self._unseen[client]
            if client.sock is not None:
                self._see(client)

    def _see(self, client: Client) -> None:
        self._crowd.send(client, b'{"type":"seen","frames":%d}' % client.json_frames)
        client.unseen_frames = client.unseen_bytes = 0


def command(client_seq: int, name: str, data: dict[str, Any]) -> bytes:
    """A `command` frame."""
    return json.dumps({"type": "command", "client_seq": client_seq, "name": name, "data": data}).encode()
