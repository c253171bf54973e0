"""Event streams and requests of a document against a running site, over plain sockets."""

from __future__ import annotations

import asyncio
import http.client
import json
from typing import Any
from urllib.parse import urlencode

from realtime.tests.conversation import Closed, Conversation, Frame
from realtime.tests.wire.sockets import Door
from realtime.tests.wire.stage import SLUG

TOKEN = "t" * 32


class EventSocket(Conversation):
    """One stream of a document: read from `door`'s node; what it sends goes to `other`'s, if one is given."""

    def __init__(self, door: Door, who: str, name: str, *, client: str, other: Door | None = None) -> None:
        super().__init__(client)
        self._door, self._other, self._who, self._name = door, other or door, who, name
        self.writer: asyncio.StreamWriter
        self._reader: asyncio.StreamReader
        self._rest = b""

    async def open(self, **more: Any) -> EventSocket:
        query = urlencode({"streams": self._name, "client": self.client} | {k: json.dumps(v) for k, v in more.items()})
        self._reader, self.writer = await asyncio.open_connection("127.0.0.1", self._door.port, limit=2**20)
        lines = [f"GET /rt/{SLUG}/events?{query} HTTP/1.1", *self._headers(self._door), "", ""]
        self.writer.write("\r\n".join(lines).encode())
        head = await self._reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200"), head
        return self

    @property
    def transport(self) -> Any:
        return self.writer.transport

    def _headers(self, door: Door) -> list[str]:
        host = f"127.0.0.1:{door.port}"
        cookies = f"csrftoken={TOKEN}; sessionid={door.sessions[self._who]}"
        return [f"Host: {host}", f"Cookie: {cookies}"]

    async def receive_text(self, timeout_s: float) -> str:
        async with asyncio.timeout(timeout_s):
            while True:
                line = await self._line()
                if line.startswith(b"data: "):
                    return self._frame(json.loads(line.removeprefix(b"data: ")))

    def _frame(self, frame: Frame) -> str:
        assert frame.pop("stream") == self._name
        if frame["type"] == "close":
            raise Closed(frame["code"])
        return str(frame["type"]) if frame["type"] in ("ping", "pong") else json.dumps(frame)

    async def _line(self) -> bytes:
        """The next line of the body, whose chunks may end anywhere."""
        while b"\n" not in self._rest:
            size = int(await self._reader.readuntil(b"\r\n"), 16)
            if size == 0:
                raise Closed(1006)
            self._rest += (await self._reader.readexactly(size + 2))[:-2]
        line, self._rest = self._rest.split(b"\n", 1)
        return line

    async def send_text(self, text: str) -> None:
        frame = {"type": text} if text in ("ping", "pong") else json.loads(text)
        await self.post([frame])

    async def post(self, frames: list[Frame]) -> list[Frame]:
        """The frames of the answer."""
        body = json.dumps({"client": self.client, "frames": [{"stream": self._name, **each} for each in frames]})
        return await asyncio.to_thread(self._post, body)

    def _post(self, body: str) -> list[Frame]:
        headers = dict(each.split(": ", 1) for each in self._headers(self._other))
        headers |= {"Origin": f"http://{headers['Host']}", "X-CSRFToken": TOKEN, "Content-Type": "application/json"}
        connection = http.client.HTTPConnection("127.0.0.1", self._other.port, timeout=10)
        connection.request("POST", f"/rt/{SLUG}/commands", body, headers)
        answer = connection.getresponse()
        assert answer.status == 200, answer.status
        answered: list[Frame] = json.loads(answer.read())["frames"]
        connection.close()
        return answered
