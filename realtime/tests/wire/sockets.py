"""Raw WebSocket clients against a running site."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import suppress
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from realtime.tests.clients import PATIENCE_S, Closed, Frame, hello
from realtime.tests.wire.stage import SLUG


class Door:
    """Opens sockets as one of the site's people."""

    def __init__(self, port: int, sessions: dict[str, str]) -> None:
        self.port = port
        self.sessions = sessions

    async def open(self, who: str, stream: str = "announcements", *, origin: str | None = "own") -> Socket:
        path = stream if stream.startswith("/") else f"/ws/contests/{SLUG}/{stream}"
        headers = {"Cookie": f"sessionid={self.sessions[who]}"} if who in self.sessions else {}
        connection = await connect(
            f"ws://127.0.0.1:{self.port}{path}",
            origin=f"http://127.0.0.1:{self.port}" if origin == "own" else origin,  # type: ignore[arg-type]
            additional_headers=headers,
            compression=None,
            ping_interval=None,
            max_size=None,
        )
        return Socket(connection)

    async def live(self, who: str, stream: str = "announcements", client: str = "document-1", **more: Any) -> Socket:
        """A socket that has said hello and is synced."""
        socket = await self.open(who, stream)
        await socket.send(hello(client, **more))
        await socket.until("synced")
        return socket


class Socket:
    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection
        self.received: list[Frame] = []

    async def send(self, frame: Frame | str | bytes) -> None:
        """Send, or find out by `receive` that the server has closed meanwhile."""
        with suppress(ConnectionClosed):
            await self.connection.send(json.dumps(frame) if isinstance(frame, dict) else frame)

    async def receive(self, timeout_s: float = PATIENCE_S) -> Frame | str:
        """The next frame. Raises Closed, or TimeoutError."""
        try:
            async with asyncio.timeout(timeout_s):
                text = await self.connection.recv()
        except ConnectionClosed as closed:
            raise Closed(closed.rcvd.code if closed.rcvd else 1006) from closed
        if text in ("ping", "pong"):
            return str(text)
        frame: Frame = json.loads(text)
        self.received.append(frame)
        return frame

    async def until(self, kind: str, name: str | None = None, timeout_s: float = PATIENCE_S) -> Frame:
        deadline = time.monotonic() + timeout_s
        while True:
            frame = await self.receive(max(0.01, deadline - time.monotonic()))
            if isinstance(frame, dict) and frame["type"] == kind and (name is None or frame.get("name") == name):
                return frame

    async def until_closed(self, timeout_s: float = PATIENCE_S) -> int:
        try:
            while True:
                await self.receive(timeout_s)
        except Closed as closed:
            return closed.code

    async def silent(self, for_s: float) -> bool:
        """Whether nothing but bare words comes for this long."""
        deadline = time.monotonic() + for_s
        try:
            while True:
                if isinstance(await self.receive(max(0.01, deadline - time.monotonic())), dict):
                    return False
        except TimeoutError:
            return True

    @property
    def cursor(self) -> Any:
        """As far as the last `synced` and the events after it go."""
        cursor: dict[str, Any] = {}
        for frame in self.received:
            if frame["type"] in ("snapshot", "synced"):
                cursor = dict(frame["cursor"])
            elif frame["type"] == "event":
                cursor[frame["topic"]] = {**cursor[frame["topic"]], "seq": frame["seq"]}
        return cursor

    def events(self) -> list[Frame]:
        return [frame for frame in self.received if frame["type"] == "event"]

    def reset(self) -> None:
        """Cut the connection with a RST, as a failing network does."""
        import socket as sockets
        import struct

        raw = self.connection.transport.get_extra_info("socket")
        raw.setsockopt(sockets.SOL_SOCKET, sockets.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.transport.abort()
