"""Over a real server: what stays open, what is let go, and how a server goes away."""

from __future__ import annotations

import asyncio
import os
import time
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest

from realtime.tests.clients import eventually
from realtime.tests.wire.sockets import Door, Socket
from realtime.tests.wire.stage import Stage
from tools.site_process import SiteProcess

IDLE_S = 15.0 if os.environ.get("FATHOM_TEST_SHAPE") == "scaled" else 6.0
"""More than any time-out of the client library of the channel layer, or of the server program for an idle visitor."""


async def test_an_idle_consumer_stays_open_and_150_are_all_open(door: Door, stage: Stage) -> None:
    idle = await door.live("alice", client="idle")
    began = time.monotonic()
    opened = await asyncio.gather(
        *(door.live(who, client=f"{who}-{number}") for who in ("bob", "grace", "alice") for number in range(50))
    )
    assert len(opened) == 150
    for socket in (idle, *opened):
        await socket.send({"type": "seen", "frames": len(socket.received)})
    assert await idle.heard(IDLE_S - (time.monotonic() - began)) == []
    assert time.monotonic() - began >= IDLE_S - 0.1
    notice = stage("post", "after the silence")
    events = await asyncio.gather(*(socket.until("event", "announcement.posted") for socket in (idle, *opened)))
    assert {event["data"]["id"] for event in events} == {notice}
    await asyncio.gather(*(socket.connection.close() for socket in (idle, *opened)))


async def test_a_dead_client_is_freed_in_time_and_a_living_one_is_not(hasty_door: Door) -> None:
    dead, living = await hasty_door.live("alice", client="dead"), await hasty_door.live("bob", client="living")
    answered: list[float] = []
    answering = asyncio.create_task(_answer_pings(living, answered))
    began = time.monotonic()
    assert await dead.until_closed() == 4102
    assert 1.0 <= time.monotonic() - began <= 8.0, "idle-kill to idle-kill + heartbeat, on a slow machine"
    before = len(answered)
    await eventually(lambda: answering.done() or len(answered) >= before + 3, timeout_s=15.0)
    assert not answering.done(), "a client that answers is not closed"
    answering.cancel()


async def _answer_pings(socket: Socket, answered: list[float]) -> None:
    while True:
        if await socket.receive() == "ping":
            await socket.send("pong")
            answered.append(time.monotonic())


async def test_slow_answers_do_not_close(hasty_door: Door) -> None:
    """Each answer comes later than the next ping is due: an answer to an older ping is proof of life, too."""
    socket = await hasty_door.live("alice")
    began = time.monotonic()
    while time.monotonic() - began < 3.0:
        if await socket.receive() == "ping":
            await asyncio.sleep(0.6)  # a real wait: lateness is the fault, and the server has its own clock
            await socket.send("pong")


async def test_a_dropped_hint_changes_nothing_but_time(door: Door, site: SiteProcess) -> None:
    silent_stage = Stage(site.environment)
    try:
        silent_stage("drop_hints")
        socket = await door.live("alice")
        notices = [silent_stage("post", f"no hint {number}") for number in range(3)]
        assert [(await socket.until("event", "announcement.posted"))["data"]["id"] for _ in notices] == notices
        assert await socket.heard(1.5) == []
    finally:
        silent_stage.close()


def test_health_readiness_and_measurements(site: SiteProcess, door: Door) -> None:
    for path, words in (("healthz", "ok"), ("readyz", "ready"), ("metrics", "fathom_connections")):
        with urllib.request.urlopen(f"{site.url}/{path}", timeout=5) as answer:
            assert words in answer.read().decode()


@pytest.fixture
def other_site(site: SiteProcess) -> Iterator[SiteProcess]:
    """A second node on the same data, which tests end."""
    process = SiteProcess(site.data_dir, {**site.environment, "FATHOM_PORT": ""})
    process.environment["FATHOM_PORT"] = str(process.port)
    process.start()
    yield process
    process.kill()


async def test_sigterm_has_everybody_leave_in_turn_and_ends_at_once(other_site: SiteProcess, door: Door) -> None:
    other_door = Door(other_site.port, door.sessions)
    opened = [await other_door.live("alice", client=f"document-{number}") for number in range(20)]
    began = time.monotonic()
    stopping = asyncio.create_task(asyncio.to_thread(other_site.stop))
    moments = [(await socket.until("drain"))["leave_in_ms"] for socket in opened]
    assert sorted(moments) == [2 * number for number in range(20)], "500 a second"
    for socket in opened:
        await socket.send({"type": "leave"})
        assert await socket.until_closed() == 4112
    assert await stopping == 0
    assert time.monotonic() - began < 4


async def test_while_somebody_is_still_there_newcomers_are_sent_elsewhere_and_the_rest_is_closed_in_time(
    other_site: SiteProcess, door: Door
) -> None:
    other_door = Door(other_site.port, door.sessions)
    deaf = await other_door.live("alice")
    began = time.monotonic()
    stopping = asyncio.create_task(asyncio.to_thread(other_site.stop))
    await deaf.until("drain")
    late = await other_door.open("bob")
    assert await late.until_closed() == 4112
    assert [(each["type"], each["code"]) for each in late.received] == [("retry", "draining")]
    assert await asyncio.to_thread(status_of, f"{other_site.url}/readyz") == 503
    assert await deaf.until_closed() == 4112, "it has not said leave"
    assert await stopping == 0
    assert time.monotonic() - began < 10


def status_of(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
