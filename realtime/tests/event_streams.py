"""A document that follows its streams by one event stream and says what it says by requests."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from asgiref.testing import ApplicationCommunicator
from django.conf import settings

from contest.models import User
from realtime.routing import WithFallback
from realtime.tests.clients import ORIGIN, Sessions
from realtime.tests.conversation import PATIENCE_S, Closed, Conversation, Frame

TOKEN = "t" * 32


async def no_pages(scope: Any, receive: Any, send: Any) -> None:
    raise AssertionError(f"{scope['path']} is no address of the fallback")


application = WithFallback(no_pages)
communicate: Any = ApplicationCommunicator  # which has no types


def scope_of(method: str, path: str, query: str = "", **headers: str) -> dict[str, Any]:
    listed = {"host": "localhost:8000"} | headers
    return {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "scheme": "http",
        "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in listed.items()],
        "client": ("127.0.0.1", 50000),
    }


async def request(scope: dict[str, Any], body: bytes = b"") -> tuple[int, bytes]:
    """Status and body of a request that is answered at once."""
    communicator = communicate(application, scope)
    await communicator.send_input({"type": "http.request", "body": body, "more_body": False})
    start = await communicator.receive_output(timeout=PATIENCE_S)
    rest = await communicator.receive_output(timeout=PATIENCE_S)
    await communicator.wait(timeout=PATIENCE_S)
    return start["status"], rest["body"]


async def enter(sessions: Sessions, user: User, *names: str, client: str = "", **more: Any) -> Document:
    """A document of the contest `cup` that is live on these streams."""
    return await Document("cup", names, await sessions.key_of(user), client=client).live(**more)


def ask(client_seq: int) -> Frame:
    data = {"problem": None, "text": "Is zero a number?"}
    return {"stream": "announcements", "type": "command", "client_seq": client_seq, "name": "ask", "data": data}


class Substream(Conversation):
    """One stream of a document. What it sends goes by requests, what their answers say is received, too."""

    def __init__(self, document: Document, name: str) -> None:
        super().__init__(document.client)
        self.document = document
        self.name = name
        self.arrived: asyncio.Queue[Frame] = asyncio.Queue()
        self.fence: int | None = None

    async def send_text(self, text: str) -> None:
        frame: Frame = {"type": text} if text in ("ping", "pong") else json.loads(text)
        frame["stream"] = self.name
        if self.fence is not None and frame.get("name") == "report":
            frame.setdefault("fence", self.fence)
        for answer in await self.document.post([frame]):
            self.document.substreams[answer["stream"]].arrived.put_nowait(answer)

    async def receive_text(self, timeout_s: float) -> str:
        frame = await asyncio.wait_for(self.arrived.get(), timeout_s)
        if frame["type"] == "close":
            raise Closed(frame["code"])
        self.fence = frame.get("fence", self.fence)
        if frame["type"] in ("ping", "pong"):
            return str(frame["type"])
        return json.dumps({key: value for key, value in frame.items() if key != "stream"})


class Document:
    def __init__(self, slug: str, names: Sequence[str], session_key: str = "", *, client: str = "") -> None:
        self.slug = slug
        self.client = client or secrets.token_hex(16)
        self.substreams = {name: Substream(self, name) for name in names}
        self.comments = 0
        self.has_ended = False
        self._cookies = f"csrftoken={TOKEN}; {settings.SESSION_COOKIE_NAME}={session_key}"
        self._pump: asyncio.Task[None] | None = None
        self._communicator: Any = None

    async def open(self, **more: Any) -> Document:
        """`cursor` and `hello` as in the address: by stream."""
        query: dict[str, str] = {"streams": ",".join(self.substreams), "client": self.client}
        query |= {name: json.dumps(value) for name, value in more.items()}
        for name, cursor in more.get("cursor", {}).items():
            self.substreams[name].cursor = dict(cursor)
        scope = scope_of("GET", f"/rt/{self.slug}/events", urlencode(query), cookie=self._cookies)
        self._communicator = communicate(application, scope)
        await self._communicator.send_input({"type": "http.request", "body": b"", "more_body": False})
        start = await self._communicator.receive_output(timeout=PATIENCE_S)
        assert start["status"] == 200
        assert (b"content-type", b"text/event-stream; charset=utf-8") in start["headers"]
        self._pump = asyncio.create_task(self._read())
        return self

    async def live(self, **more: Any) -> Document:
        await self.open(**more)
        for substream in self.substreams.values():
            await substream.until("synced")
        return self

    async def _read(self) -> None:
        while True:
            message = await self._communicator.receive_output(timeout=3600)
            for block in message["body"].decode().split("\n\n")[:-1]:
                self._take(block)
            if not message.get("more_body", False):
                self.has_ended = True
                return

    def _take(self, block: str) -> None:
        if block.startswith(":"):
            self.comments += 1
            return
        assert block.startswith("data: ")
        assert "\n" not in block
        frame = json.loads(block.removeprefix("data: "))
        self.substreams[frame["stream"]].arrived.put_nowait(frame)

    async def post(self, frames: Sequence[Frame], **headers: str) -> list[Frame]:
        """Send frames in one request; the frames of its answer."""
        status, body = await self.post_raw({"client": self.client, "frames": list(frames)}, **headers)
        assert status == 200, (status, body)
        answered: list[Frame] = json.loads(body)["frames"]
        return answered

    async def post_raw(self, given: Any, **headers: str) -> tuple[int, bytes]:
        return await self.post_body(json.dumps(given).encode(), **headers)

    async def post_body(self, body: bytes, **headers: str) -> tuple[int, bytes]:
        return await request(self.scope_of_request(**headers), body)

    def scope_of_request(self, **headers: str) -> dict[str, Any]:
        named = {"origin": ORIGIN.decode(), "cookie": self._cookies, "x_csrftoken": TOKEN}
        named |= {"content_type": "application/json"} | headers
        return scope_of("POST", f"/rt/{self.slug}/commands", **named)

    async def leave(self) -> None:
        """The client goes without a word."""
        await self._communicator.send_input({"type": "http.disconnect"})
        await self._communicator.wait(timeout=PATIENCE_S)
        if self._pump is not None:
            self._pump.cancel()
