"""Over a real server: who and what is refused, and how it is said."""

from __future__ import annotations

import asyncio
import socket as sockets

import pytest
from websockets.exceptions import InvalidStatus

from realtime.tests.clients import hello
from realtime.tests.wire.sockets import Door


@pytest.mark.parametrize("origin", ["http://evil.example", None])
async def test_a_foreign_origin_gets_a_403(door: Door, origin: str | None) -> None:
    with pytest.raises(InvalidStatus) as refused:
        await door.open("alice", origin=origin)
    assert refused.value.response.status_code == 403


@pytest.mark.parametrize(
    ("who", "stream", "end", "code"),
    [
        ("nobody", "announcements", "signed-out", 4002),
        ("nobody", "/ws/records/1", "signed-out", 4002),
        ("mallory", "announcements", "forbidden", 4003),
        ("mallory", "records", "forbidden", 4003),
        ("mallory", "selftest", "forbidden", 4003),
        ("mallory", "timer", "forbidden", 4003),
        ("grace", "timer", "forbidden", 4003),
        ("alice", "/ws/contests/none/announcements", "not-found", 4004),
        ("alice", "/ws/records/999999", "not-found", 4004),
    ],
)
async def test_whoever_may_not_is_told_and_closed(door: Door, who: str, stream: str, end: str, code: int) -> None:
    socket = await door.open(who, stream)
    await socket.send(hello())
    assert await socket.until_closed() == code
    assert [(frame["type"], frame["code"]) for frame in socket.received] == [("end", end)]


async def test_no_hello_ends_with_4101(door: Door) -> None:
    socket = await door.open("alice")
    assert await socket.until_closed() == 4101


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        ("nonsense", 4006),
        (b"binary", 4006),
        ('{"type":"unheard-of"}', 4006),
        ("x" * (64 * 1024 + 1), 4009),
        ("x" * (3 * 1024 * 1024), 1009),
    ],
)
async def test_a_wrong_frame_ends_the_connection_and_disturbs_no_other(
    door: Door, frame: str | bytes, code: int
) -> None:
    neighbour = await door.live("bob")
    socket = await door.live("alice")
    await socket.send(frame)
    # Above the server program's own limit it may close, or just reset.
    assert await socket.until_closed() in ({code, 1006} if code == 1009 else {code})
    await neighbour.send("ping")
    assert await neighbour.receive() == "pong"


async def test_bad_utf8_and_broken_framing_leave_no_trace(door: Door) -> None:
    neighbour = await door.live("bob")
    for raw in (b"\x81\x82\x00\x00\x00\x00\xff\xff", b"\xff\xff\xff\xff\xff\xff"):
        socket = await door.live("alice")
        socket.connection.transport.write(raw)
        assert await socket.until_closed() in {1002, 1006, 1007}
    await neighbour.send("ping")
    assert await neighbour.receive() == "pong"


async def test_a_flood_ends_with_4129(door: Door) -> None:
    socket = await door.live("alice")

    async def flood() -> None:
        for _ in range(400):
            await socket.send("pong")
            await asyncio.sleep(0.01)

    flooding = asyncio.create_task(flood())
    assert await socket.until_closed(10) == 4129
    flooding.cancel()
    assert (socket.received[-1]["type"], socket.received[-1]["code"]) == ("retry", "too-many")


async def test_a_burst_is_no_flood(door: Door) -> None:
    socket = await door.live("alice")
    for _ in range(200):
        await socket.send("pong")
    await socket.send("ping")
    assert await socket.receive() == "pong"


async def test_a_selftest_frame_may_be_larger(door: Door) -> None:
    socket = await door.live("alice", "selftest")
    data = {"language": "python", "source": "x" * 300_000, "stdin": ""}
    await socket.send({"type": "command", "client_seq": 1, "name": "run", "data": data})
    reply = await socket.until("reply")
    assert (reply["ok"], reply["error"]["code"]) == (False, "bad-request")


async def test_a_client_that_reads_nothing_harms_nobody(door: Door) -> None:
    neighbour = await door.live("bob")
    with sockets.create_connection(("127.0.0.1", door.port)) as raw:
        raw.sendall(b"GET /ws/contests/wire/announcements HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        await neighbour.send("ping")
        assert await neighbour.receive() == "pong"
