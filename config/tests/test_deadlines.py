"""Over real sockets: whoever owes the server a request for too long is given up, and nobody else."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
import uvicorn
from django.conf import settings

from config import deadlines
from config.server import Server, make_config

HEADERS_S, BODY_S = 0.3, 0.6
KEEP_ALIVE_S = 60
PATIENCE_S = 10.0
"""The sweep comes once a second, on a machine that may do something else."""
POST = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n"


class Shop:
    """An application that reads the whole body and answers, as soon as it may `go`."""

    def __init__(self) -> None:
        self.left_alone = asyncio.Event()
        self.go = asyncio.Event()
        self.go.set()

    async def __call__(self, scope: dict[str, Any], receive: Callable[[], Any], send: Callable[[Any], Any]) -> None:
        await self.go.wait()
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                self.left_alone.set()
                return
            if not message.get("more_body"):
                break
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})


class Visitor:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    def write(self, data: bytes) -> None:
        self._writer.write(data)

    async def answer(self) -> bytes:
        return await asyncio.wait_for(self._reader.readuntil(b"ok"), PATIENCE_S)

    async def until_closed(self) -> bytes:
        """What was still said. A reset is a close."""
        try:
            return await asyncio.wait_for(self._reader.read(), PATIENCE_S)
        except ConnectionResetError:
            return b""


class Served:
    def __init__(self, port: int, shop: Shop) -> None:
        self.port, self.shop = port, shop

    async def visitor(self) -> Visitor:
        return Visitor(*await asyncio.open_connection("127.0.0.1", self.port))


@asynccontextmanager
async def served() -> AsyncIterator[Served]:
    listener = socket.create_server(("127.0.0.1", 0))
    shop, ready = Shop(), asyncio.Event()
    own = make_config(settings.FATHOM)
    config = uvicorn.Config(
        shop, http=own.http, ws="none", lifespan="off", log_config=None, timeout_keep_alive=KEEP_ALIVE_S
    )
    server = Server(config, ready.set)
    serving = asyncio.create_task(server.serve([listener]))
    await asyncio.wait_for(ready.wait(), PATIENCE_S)
    try:
        yield Served(listener.getsockname()[1], shop)
    finally:
        shop.go.set()
        server.should_exit = True
        await serving


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadlines, "HEADERS_S", HEADERS_S)
    monkeypatch.setattr(deadlines, "BODY_S", BODY_S)


@pytest.mark.parametrize("said", [b"", b"\r\n", b"GET / HTTP/1.1\r\nHost: x\r\nX-A"], ids=["nothing", "empty", "part"])
async def test_who_does_not_end_the_headers_is_given_up(said: bytes) -> None:
    async with served() as site:
        silent = await site.visitor()
        silent.write(said)
        assert await silent.until_closed() == b""


async def test_a_header_that_trickles_is_given_up_all_the_same() -> None:
    async with served() as site:
        slow = await site.visitor()
        slow.write(b"GET / HTTP/1.1\r\n")

        async def trickle() -> None:
            while True:
                slow.write(b"X-A: b\r\n")
                await asyncio.sleep(HEADERS_S / 3)

        trickling = asyncio.create_task(trickle())
        assert await slow.until_closed() == b""
        trickling.cancel()


async def test_a_body_of_which_nothing_comes_is_given_up_and_the_application_told() -> None:
    async with served() as site:
        halting = await site.visitor()
        halting.write(POST + b"12345")
        assert await halting.until_closed() == b""
        await asyncio.wait_for(site.shop.left_alone.wait(), PATIENCE_S)


async def test_between_requests_only_the_keep_alive_counts_until_somebody_begins_one() -> None:
    async with served() as site:
        kept, teasing = await site.visitor(), await site.visitor()
        for visitor in (kept, teasing):
            visitor.write(POST + b"1234567890")
            assert b"200" in await visitor.answer()
        teasing.write(b"\r\n")  # ends the keep-alive's own timer
        assert await teasing.until_closed() == b""
        kept.write(POST + b"1234567890")
        assert b"200" in await kept.answer(), "it was idle for as long, and is served"
        kept.write(b"GET")
        assert await kept.until_closed() == b""


async def test_a_slow_answer_and_a_body_that_is_not_asked_for_are_no_fault_of_the_client() -> None:
    async with served() as site:
        site.shop.go.clear()
        patient, large, witness = await site.visitor(), await site.visitor(), await site.visitor()
        patient.write(POST + b"1234567890")
        large.write(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n" + b"x" * 1_000_000)
        witness.write(POST + b"1")
        assert await witness.until_closed() == b"", "the deadline has passed for all three"
        site.shop.go.set()
        assert b"200" in await patient.answer()
        assert b"200" in await large.answer()
