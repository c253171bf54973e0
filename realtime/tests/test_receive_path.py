"""The receive path: proof of life whatever else happens, and a right end for every wrong frame."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from channels.testing import WebsocketCommunicator

from contest.models import Contest, User
from realtime import database
from realtime.consumers import announcements
from realtime.node.node import Node
from realtime.routing import application
from realtime.tests.clients import PATIENCE_S, Client, Sessions, hello

PATH = "/ws/contests/cup/announcements"


class SlowQuestions:
    """Every `ask` waits in the database until it is let go."""

    def __init__(self) -> None:
        self.started = threading.Semaphore(0)
        self.go = threading.Event()

    def ask(self, *_: object, **__: object) -> None:
        self.started.release()
        assert self.go.wait(20)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[SlowQuestions]:
    questions = SlowQuestions()
    monkeypatch.setattr(announcements, "ask_clarification", questions.ask)
    monkeypatch.setattr(announcements, "present_clarification", lambda _: {})
    yield questions
    questions.go.set()


def ask(client_seq: int) -> str:
    return json.dumps(
        {"type": "command", "client_seq": client_seq, "name": "ask", "data": {"problem": None, "text": "?"}}
    )


async def enter(sessions: Sessions, user: User, path: str = PATH) -> Client:
    return await Client(path, await sessions.key_of(user)).live()


async def test_ping_is_answered_while_a_command_runs_and_while_the_queue_is_full(
    live: Node, sessions: Sessions, alice: User, slow: SlowQuestions
) -> None:
    client = await enter(sessions, alice)
    await client.send(ask(1))
    assert await asyncio.to_thread(slow.started.acquire, timeout=5)
    await client.send("ping")
    assert await client.receive() == "pong"
    for client_seq in range(2, 13):
        await client.send(ask(client_seq))
    await client.send("ping")
    refused = await client.receive()
    assert isinstance(refused, dict)
    assert (refused["client_seq"], refused["ok"]) == (12, False), "the eleventh waiting one"
    assert refused["error"]["code"] == "busy"
    assert refused["error"]["retry_after_ms"] > 0
    assert await client.receive() == "pong"

    slow.go.set()
    replies = [await client.until("reply") for _ in range(11)]
    assert [(each["client_seq"], each["ok"]) for each in replies] == [(n, True) for n in range(1, 12)]


async def test_of_a_burst_in_one_turn_of_the_loop_the_twelfth_is_refused_too(
    live: Node, sessions: Sessions, alice: User, slow: SlowQuestions
) -> None:
    client = await enter(sessions, alice)
    (consumer,) = live.consumers.values()
    for client_seq in range(1, 13):
        consumer._take(ask(client_seq))  # type: ignore[attr-defined]
    refused = await client.until("reply")
    assert (refused["client_seq"], refused["error"]["code"]) == (12, "busy")
    slow.go.set()
    replies = [await client.until("reply") for _ in range(11)]
    assert [(each["client_seq"], each["ok"]) for each in replies] == [(n, True) for n in range(1, 12)]


async def test_ping_is_answered_while_the_database_hangs(
    live: Node, sessions: Sessions, alice: User, slow: SlowQuestions
) -> None:
    client = await enter(sessions, alice)
    go = threading.Event()
    stuck = [pool.submit(go.wait, 20) for pool in database.POOLS for _ in range(pool._max_workers)]
    try:
        await client.send("ping")
        assert await client.receive() == "pong"
    finally:
        go.set()
    assert all(future.result() for future in stuck), "every thread for the database was taken meanwhile"


@pytest.mark.parametrize(
    "text",
    [
        "not json",
        "[]",
        "5",
        '"ping"',
        "{}",
        '{"type":"nonsense"}',
        '{"type":"hello","protocol":1,"client":"again"}',
        '{"type":"seen"}',
        '{"type":"seen","frames":-1}',
        '{"type":"seen","frames":true}',
        '{"type":"command"}',
        '{"type":"command","client_seq":"1","name":"ack","data":{}}',
        '{"type":"command","client_seq":1,"name":"ack","data":[]}',
        '{"type":"command","client_seq":1,"name":"ack","data":{}}',
        '{"type":"command","client_seq":1,"name":"ack","data":{"notices":[{"id":"5","version":1}]}}',
        '{"type":"command","client_seq":1,"name":"watch","data":{"ids":[1]}}',
        '{"type":"command","client_seq":1,"name":"ask","data":{"problem":null,"text":"\\ud800"}}',
        '{"type":"command","client_seq":NaN,"name":"ask","data":{}}',
        "[" * 30_000,
        "1" * 5000,
        " PING",
    ],
)
async def test_what_is_not_of_the_contract_ends_with_4006(
    live: Node, sessions: Sessions, alice: User, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    client = await enter(sessions, alice)
    await client.send(text)
    assert await client.until_closed() == 4006
    assert (client.received[-1]["type"], client.received[-1]["code"]) == ("end", "bad-request")
    assert not [record for record in caplog.records if record.exc_info]


async def test_a_binary_frame_ends_with_4006(live: Node, sessions: Sessions, alice: User) -> None:
    client = await enter(sessions, alice)
    await client._socket.send_to(bytes_data=b"ping")
    assert await client.until_closed() == 4006


async def test_a_frame_over_the_limit_ends_with_4009(live: Node, sessions: Sessions, alice: User) -> None:
    client = await enter(sessions, alice)
    filling = "ä" * (33 * 1024)
    assert len(filling) < 64 * 1024 < len(filling.encode()), "bytes count, not characters"
    await client.send(filling)
    assert await client.until_closed() == 4009


async def test_a_command_before_hello_ends_with_4006(live: Node, sessions: Sessions, alice: User) -> None:
    client = Client(PATH, await sessions.key_of(alice))
    await client.connect()
    await client.send("ping")
    assert await client.receive() == "pong", "proof of life needs no hello"
    await client.send(ask(1))
    assert await client.until_closed() == 4006


async def test_no_hello_ends_with_4101(live: Node, sessions: Sessions, alice: User) -> None:
    live.sweep._hello_ms = 300
    client = Client(PATH, await sessions.key_of(alice))
    await client.connect()
    await client.send("ping")
    assert await client.until_closed() == 4101


async def test_another_protocol_version_ends_with_4005(live: Node, sessions: Sessions, alice: User) -> None:
    client = Client(PATH, await sessions.key_of(alice))
    await client.connect()
    await client.send(hello() | {"protocol": 2})
    assert await client.until_closed() == 4005
    assert client.received[-1]["code"] == "old-client"


async def test_somebody_signed_out_is_told_so_without_any_hello(live: Node, contest: Contest) -> None:
    client = Client(PATH)
    await client.connect()
    assert await client.until_closed() == 4002
    assert client.received[-1]["code"] == "signed-out"


async def test_somebody_not_registered_is_forbidden(live: Node, sessions: Sessions, mallory: User, alice: User) -> None:
    client = Client(PATH, await sessions.key_of(mallory))
    await client.connect()
    await client.send(hello())
    assert await client.until_closed() == 4003
    assert client.received[-1]["code"] == "forbidden"


async def test_a_private_contest_does_not_exist_for_outsiders(
    live: Node, sessions: Sessions, contest: Contest, mallory: User
) -> None:
    await Contest.objects.aupdate(visibility="private")
    client = Client(PATH, await sessions.key_of(mallory))
    await client.connect()
    await client.send(hello())
    assert await client.until_closed() == 4004


@pytest.mark.parametrize("path", ["/ws/contests/none/announcements", "/ws/contests/cup/nothing", "/ws/", "/"])
async def test_what_does_not_exist_is_said_in_a_frame(live: Node, sessions: Sessions, alice: User, path: str) -> None:
    client = Client(path, await sessions.key_of(alice))
    await client.connect()
    if path.endswith("announcements"):
        await client.send(hello())
    assert await client.until_closed() == 4004
    assert client.received[-1]["code"] == "not-found"


@pytest.mark.parametrize(
    "origin",
    [b"http://evil.example", b"http://localhost:8001", b"https://localhost", b"null", b"http://[", b"", None],
)
async def test_a_foreign_origin_is_refused_before_the_upgrade(origin: bytes | None) -> None:
    headers = [(b"host", b"localhost:8000")] + ([(b"origin", origin)] if origin is not None else [])
    communicator: Any = WebsocketCommunicator(application, PATH, headers=headers)  # type: ignore[no-untyped-call]
    accepted, _ = await communicator.connect(timeout=PATIENCE_S)
    assert not accepted


async def test_a_newer_connection_of_the_same_document_takes_over(live: Node, sessions: Sessions, alice: User) -> None:
    older = await enter(sessions, alice)
    newer = await enter(sessions, alice)
    assert await older.until_closed() == 4103
    await newer.send("ping")
    assert await newer.receive() == "pong"


async def test_one_connection_too_many_closes_the_longest_silent_one(
    live: Node, sessions: Sessions, alice: User
) -> None:
    live.people.user_connections = 3
    clients = [await Client(PATH, await sessions.key_of(alice), client=f"document-{n}").live() for n in range(3)]
    await clients[0].send("ping")
    assert await clients[0].receive() == "pong", "the first one has spoken since"
    await Client(PATH, await sessions.key_of(alice), client="document-3").live()
    assert await clients[1].until_closed() == 4129
    assert clients[1].received[-1]["type"] == "retry"
    await clients[0].send("ping")
    assert await clients[0].receive() == "pong"


async def test_dense_frames_are_not_read_beyond_a_mebibyte_a_second(
    live: Node, sessions: Sessions, alice: User
) -> None:
    """A megabyte of small objects takes the loop tens of milliseconds, in which nobody's ping is answered."""
    client = await enter(sessions, alice, "/ws/contests/cup/selftest")
    dense = '{"type":"command","client_seq":1,"name":"cancel","data":{"x":[' + ",".join(["{}"] * 340_000) + "]}}"
    for _ in range(2):
        await client.send(dense)
        assert (await client.until("reply"))["ok"], "two of the largest are taken"
    await client.send(dense)
    await client.send(dense)
    assert await client.until_closed() == 4129
    told = client.received[-1]
    assert (told["type"], told["code"]) == ("retry", "too-many")
