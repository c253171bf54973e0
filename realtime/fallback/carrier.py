"""One HTTP response that carries several streams, each of which sees a WebSocket.

What a consumer sends becomes an event of the response; a close of it becomes one, too, and the
response ends when all its streams are closed. Nothing is queued here: a send that blocks because the
client reads nothing blocks the stream's own outbox, as on a socket.
"""

from __future__ import annotations

import asyncio
from typing import Any

from realtime.hub import server_program
from realtime.wire.protocol import PING, PONG

HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store, no-transform"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-accel-buffering", b"no"),  # nginx would keep frames until a buffer is full
]
COMMENT_S = 15.0
"""Proxies cut what is silent for a minute; a reader that hears nothing for three of these asks."""

Message = dict[str, Any]

COMMENT = b":\n\n"


def event_of(text: str) -> bytes:
    """A frame in the form of server-sent events. JSON on one line has no line ends of its own."""
    return f"data: {text}\n\n".encode()


def named(name: str, text: str) -> str:
    """A frame or a word of one stream, as it stands in a response of several."""
    if text in (PING, PONG):
        return f'{{"stream":"{name}","type":"{text}"}}'
    return f'{{"stream":"{name}",{text[1:]}'


def closed(name: str, code: int) -> str:
    return f'{{"stream":"{name}","type":"close","code":{code}}}'


class EventStream:
    """The response. `send` is the server program's."""

    def __init__(self, send: Any) -> None:
        self._send = send
        self._comment: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        await self._send({"type": "http.response.start", "status": 200, "headers": HEADERS})
        await self.write(COMMENT)  # what stands between passes headers on with the first bytes of a body

    async def write(self, data: bytes) -> None:
        await self._send({"type": "http.response.body", "body": data, "more_body": True})

    async def end(self) -> None:
        await self._send({"type": "http.response.body", "body": b""})

    async def comment_for_ever(self) -> None:
        """While one is blocked, no further one is written: whoever reads nothing is found out by its credit."""
        while True:
            await asyncio.sleep(COMMENT_S)
            await self.write(COMMENT)

    def abort(self) -> None:
        server_program.abort(self._send)


class Substream:
    """One stream of the response: the two halves of an ASGI connection, `receive` and `send`."""

    def __init__(self, name: str, stream: EventStream, hello: str) -> None:
        self.name = name
        self._stream = stream
        self._inbox: asyncio.Queue[Message] = asyncio.Queue()
        self._inbox.put_nowait({"type": "websocket.connect"})
        self._inbox.put_nowait({"type": "websocket.receive", "text": hello})

    async def receive(self) -> Message:
        return await self._inbox.get()

    async def send(self, message: Message) -> None:
        if message["type"] == "websocket.send":
            await self._write(named(self.name, message["text"]))
        elif message["type"] == "websocket.close":
            await self._write(closed(self.name, message["code"]))
            self.disconnect()

    async def _write(self, text: str) -> None:
        await self._stream.write(event_of(text))

    def disconnect(self) -> None:
        """Nobody listens any more."""
        self._inbox.put_nowait({"type": "websocket.disconnect", "code": 1006})

    @property
    def transport(self) -> EventStream:
        """What `server_program.abort` looks for: all streams of a client that takes nothing in go together."""
        return self._stream
