"""A client as the protocol describes it, over Channels' communicator."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from django.conf import settings

from contest.models import User
from contest.services.sessions import open_sessions
from realtime.routing import application
from realtime.tests.conversation import PATIENCE_S, Closed, Conversation, Frame, hello

__all__ = ["ORIGIN", "PATIENCE_S", "Client", "Closed", "Frame", "Sessions", "eventually", "hello"]

ORIGIN = b"http://localhost:8000"


class Sessions:
    """Session cookies of people, made on demand."""

    def __init__(self) -> None:
        self._keys: dict[int, str] = {}

    async def key_of(self, user: User) -> str:
        if user.pk not in self._keys:
            (self._keys[user.pk],) = await sync_to_async(open_sessions)([user])
        return self._keys[user.pk]


class Client(Conversation):
    """One stream, spoken to in frames."""

    def __init__(
        self, path: str, session_key: str = "", *, client: str = "document-1", acknowledges: bool = False
    ) -> None:
        super().__init__(client, acknowledges=acknowledges)
        headers = [(b"host", b"localhost:8000"), (b"origin", ORIGIN)]
        if session_key:
            headers.append((b"cookie", f"{settings.SESSION_COOKIE_NAME}={session_key}".encode()))
        communicator: Any = WebsocketCommunicator
        self._socket = communicator(application, path, headers=headers)

    async def connect(self) -> None:
        accepted, _ = await self._socket.connect(timeout=PATIENCE_S)
        assert accepted

    async def send_text(self, text: str) -> None:
        await self._socket.send_to(text_data=text)

    async def receive_text(self, timeout_s: float) -> str:
        message = await self._socket.receive_output(timeout=timeout_s)
        if message["type"] == "websocket.close":
            raise Closed(message["code"])
        return str(message["text"])

    async def live(self, **more: Any) -> Client:
        """Connect, say hello and wait until synced."""
        await self.connect()
        return await self.greet(**more)

    async def is_quiet(self, for_s: float = 0.3) -> bool:
        return bool(await self._socket.receive_nothing(timeout=for_s))

    async def leave(self) -> None:
        await self._socket.disconnect(timeout=PATIENCE_S)


async def eventually(is_so: Any, timeout_s: float = PATIENCE_S) -> None:
    """Wait until `is_so()`; fail if it does not come."""
    deadline = time.monotonic() + timeout_s
    while not is_so():
        assert time.monotonic() < deadline, "it did not come about"
        await asyncio.sleep(0.01)
