"""Raw WebSocket clients against a running site."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from realtime.tests.conversation import Closed, Conversation, Frame
from realtime.tests.wire.stage import SLUG

_opened: list[ClientConnection] = []
"""By this test. Who is left on one would be connected, to the eyes of the next test, until garbage is collected."""


async def leave_none_open() -> None:
    left = [_opened.pop() for _ in range(len(_opened))]
    for connection in left:
        connection.transport.abort()
    await asyncio.gather(*(connection.wait_closed() for connection in left))


class Door:
    """Opens sockets as one of the site's people, with more `headers` if a proxy is played."""

    def __init__(self, port: int, sessions: dict[str, str], headers: dict[str, str] | None = None) -> None:
        self.port = port
        self.sessions = sessions
        self.headers = headers or {}

    async def open(
        self, who: str, stream: str = "announcements", *, origin: str | None = "own", client: str = "document-1"
    ) -> Socket:
        path = stream if stream.startswith("/") else f"/ws/contests/{SLUG}/{stream}"
        headers = {"Cookie": f"sessionid={self.sessions[who]}"} if who in self.sessions else {}
        connection = await connect(
            f"ws://127.0.0.1:{self.port}{path}",
            origin=f"http://127.0.0.1:{self.port}" if origin == "own" else origin,  # type: ignore[arg-type]
            additional_headers=headers | self.headers,
            compression=None,
            ping_interval=None,
            max_size=None,
        )
        _opened.append(connection)
        return Socket(connection, client)

    async def live(self, who: str, stream: str = "announcements", client: str = "document-1", **more: Any) -> Socket:
        """A socket that has said hello and is synced."""
        socket = await self.open(who, stream, client=client)
        return await socket.greet(**more)


class Socket(Conversation):
    """A real socket. `send` also takes what is no text at all."""

    def __init__(self, connection: ClientConnection, client: str = "document-1") -> None:
        super().__init__(client)
        self.connection = connection

    async def send(self, frame: Frame | str | bytes) -> None:
        if isinstance(frame, bytes):
            await self._send(frame)
        else:
            await super().send(frame)

    async def send_text(self, text: str) -> None:
        await self._send(text)

    async def _send(self, data: str | bytes) -> None:
        """Send, or find out by `receive` that the server has closed meanwhile."""
        with suppress(ConnectionClosed):
            await self.connection.send(data)

    async def receive_text(self, timeout_s: float) -> str:
        try:
            async with asyncio.timeout(timeout_s):
                return str(await self.connection.recv())
        except ConnectionClosed as closed:
            raise Closed(closed.rcvd.code if closed.rcvd else 1006) from closed

    async def heard(self, for_s: float) -> list[dict[str, Any]]:
        """All frames that come in this time; bare words are none."""
        frames, deadline = [], time.monotonic() + for_s
        try:
            while True:
                frame = await self.receive(max(0.01, deadline - time.monotonic()))
                if isinstance(frame, dict):
                    frames.append(frame)
        except TimeoutError:
            return frames

    def reset(self) -> None:
        """Cut the connection with a RST, as a failing network does."""
        import socket as sockets
        import struct

        raw = self.connection.transport.get_extra_info("socket")
        raw.setsockopt(sockets.SOL_SOCKET, sockets.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.transport.abort()
