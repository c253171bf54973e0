"""A client as the protocol describes it, over Channels' communicator or a real socket."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from django.conf import settings

from contest.models import User
from contest.services.sessions import open_sessions
from realtime.routing import application

Frame = dict[str, Any]

PATIENCE_S = 5.0
"""How long a frame may take on a slow machine before a test fails."""

ORIGIN = b"http://localhost:8000"


class Sessions:
    """Session cookies of people, made on demand."""

    def __init__(self) -> None:
        self._keys: dict[int, str] = {}

    async def key_of(self, user: User) -> str:
        if user.pk not in self._keys:
            (self._keys[user.pk],) = await sync_to_async(open_sessions)([user])
        return self._keys[user.pk]


def hello(client: str = "document-1", **more: Any) -> Frame:
    return {"type": "hello", "protocol": 1, "client": client, "try": 0, "cause": "first", "gap_ms": 0} | more


class Closed(Exception):
    """The server closed; `code` says how."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Client:
    """One stream, spoken to in frames. `received` holds every JSON frame so far."""

    def __init__(self, path: str, session_key: str = "", *, client: str = "document-1") -> None:
        headers = [(b"host", b"localhost:8000"), (b"origin", ORIGIN)]
        if session_key:
            headers.append((b"cookie", f"{settings.SESSION_COOKIE_NAME}={session_key}".encode()))
        communicator: Any = WebsocketCommunicator
        self._socket = communicator(application, path, headers=headers)
        self.client = client
        self.received: list[Frame] = []
        self.cursor: dict[str, Any] = {}

    async def connect(self) -> None:
        accepted, _ = await self._socket.connect(timeout=PATIENCE_S)
        assert accepted

    async def send(self, frame: Frame | str) -> None:
        await self._socket.send_to(text_data=frame if isinstance(frame, str) else json.dumps(frame))

    async def receive(self, timeout_s: float = PATIENCE_S) -> Frame | str:
        """The next frame; the bare words as they are. Raises Closed."""
        message = await self._socket.receive_output(timeout=timeout_s)
        if message["type"] == "websocket.close":
            raise Closed(message["code"])
        text = message["text"]
        if text in ("ping", "pong"):
            return str(text)
        frame: Frame = json.loads(text)
        self.received.append(frame)
        self._move_cursor(frame)
        return frame

    def _move_cursor(self, frame: Frame) -> None:
        """As a client does it: an event moves its topic, snapshot and synced set all topics."""
        if frame["type"] == "event":
            assert frame["after"] <= self.cursor[frame["topic"]]["seq"], f"a gap before {frame}"
            if frame["seq"] > self.cursor[frame["topic"]]["seq"]:
                self.cursor[frame["topic"]] = {**self.cursor[frame["topic"]], "seq": frame["seq"]}
        elif frame["type"] in ("snapshot", "synced"):
            self.cursor = dict(frame["cursor"])

    async def until(self, kind: str, name: str | None = None, timeout_s: float = PATIENCE_S) -> Frame:
        """Receive until a frame of this type (and event name) comes."""
        deadline = time.monotonic() + timeout_s
        while True:
            frame = await self.receive(max(0.01, deadline - time.monotonic()))
            if isinstance(frame, dict) and frame["type"] == kind and (name is None or frame.get("name") == name):
                return frame

    async def until_either(self, kind: str, event: str) -> Frame:
        """Receive until a frame of the type `kind` or the event `event` comes."""
        while True:
            frame = await self.receive(PATIENCE_S)
            if isinstance(frame, dict) and (frame["type"] == kind or frame.get("name") == event):
                return frame

    async def until_closed(self, timeout_s: float = PATIENCE_S) -> int:
        try:
            while True:
                await self.receive(timeout_s)
        except Closed as closed:
            return closed.code

    async def live(self, **more: Any) -> Client:
        """Connect, say hello and wait until synced."""
        await self.connect()
        if "cursor" in more:
            self.cursor = dict(more["cursor"])
        await self.send(hello(self.client, **more))
        await self.until("synced")
        return self

    async def command(self, client_seq: int, name: str, data: Frame, timeout_s: float = PATIENCE_S) -> Frame:
        """Send a command and wait for its reply."""
        await self.send({"type": "command", "client_seq": client_seq, "name": name, "data": data})
        while True:
            reply = await self.until("reply", timeout_s=timeout_s)
            if reply["client_seq"] == client_seq:
                return reply

    async def is_quiet(self, for_s: float = 0.3) -> bool:
        return bool(await self._socket.receive_nothing(timeout=for_s))

    async def leave(self) -> None:
        await self._socket.disconnect(timeout=PATIENCE_S)

    def events(self, name: str | None = None) -> list[Frame]:
        return [each for each in self.received if each["type"] == "event" and name in (None, each["name"])]


async def eventually(is_so: Any, timeout_s: float = PATIENCE_S) -> None:
    """Wait until `is_so()`; fail if it does not come."""
    deadline = time.monotonic() + timeout_s
    while not is_so():
        assert time.monotonic() < deadline, "it did not come about"
        await asyncio.sleep(0.01)
