"""The known traps of heartbeats, over a real server: none closes a healthy connection; a dead one is closed in time."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

from realtime.tests.clients import Closed, Frame, eventually
from realtime.tests.wire.slow_path import SlowPath
from realtime.tests.wire.slow_site import STORED_S
from realtime.tests.wire.sockets import Door, Socket
from realtime.tests.wire.stage import SLUG
from tools.site_process import BASE_DIR, SiteProcess

HEARTBEAT_MS, IDLE_KILL_MS = 200, 500
ONE_WAY_S = 0.150
STOP_S = 2.0
PATIENCE_S = 0.5
"""How long the server waits for the answer to its close frame before it lets the socket go."""
SLACK_S = 1.0
"""For a machine that does something else meanwhile: the server puts off closing while it stood still itself."""


def _site(site: SiteProcess, heartbeat_ms: int, idle_kill_ms: int) -> SiteProcess:
    """One more node on the data of `site`, with these windows."""
    windows = {"FATHOM_HEARTBEAT_MS": f"{heartbeat_ms}", "FATHOM_IDLE_KILL_MS": f"{idle_kill_ms}"}
    process = SiteProcess(site.data_dir, {**site.environment, **windows, "FATHOM_SILENCE_MS": "20000"})
    process.environment["FATHOM_PORT"] = str(process.port)
    process.environment["FATHOM_LOG"] = "json"
    process.program = [sys.executable, "-m", "realtime.tests.wire.slow_site"]
    process.start()
    return process


@pytest.fixture(scope="module")
def tight_site(site: SiteProcess) -> Iterator[SiteProcess]:
    """A heartbeat of 200 ms, a time-out of 500 ms, and questions that take longer to be stored."""
    process = _site(site, HEARTBEAT_MS, IDLE_KILL_MS)
    yield process
    process.kill()
    assert not [line for line in process.log if "Traceback" in line]


@pytest.fixture(scope="module")
def tight(tight_site: SiteProcess, door: Door) -> Door:
    return Door(tight_site.port, door.sessions)


@pytest.fixture(scope="module")
def patient(site: SiteProcess, door: Door) -> Iterator[Door]:
    """Windows that leave a client 2.5 s to answer."""
    process = _site(site, 500, 3000)
    yield Door(process.port, door.sessions)
    process.kill()


async def _live_over(path: SlowPath, door: Door, client: str) -> Socket:
    # The page's origin is that of the host it asked, which is the path's own port.
    return await Door(path.port, door.sessions).live("alice", client=client)


async def test_a_heartbeat_shorter_than_the_round_trip(tight: Door) -> None:
    async with SlowPath(tight.port, ONE_WAY_S) as path:
        socket = await _live_over(path, tight, "far")
        began = time.monotonic()
        await socket.send("ping")
        while await socket.receive() != "pong":
            pass
        assert time.monotonic() - began >= 2 * ONE_WAY_S > HEARTBEAT_MS / 1000, "the premise"
        pings = 0
        while time.monotonic() - began < 1.8:
            if await socket.receive() == "ping":
                pings += 1
                await socket.send("pong")
        assert pings >= 4


async def test_an_answer_to_an_older_ping_than_the_newest(tight: Door) -> None:
    socket = await tight.live("alice", client="late")
    unanswered = answers_to_older = 0
    began = time.monotonic()
    while time.monotonic() - began < 1.8:
        if await socket.receive() == "ping":
            unanswered += 1
            if unanswered > 1:  # the one before; the newest stays open
                await socket.send("pong")
                unanswered -= 1
                answers_to_older += 1
    assert answers_to_older >= 4


async def test_a_client_whose_main_thread_stops_for_two_seconds(patient: Door) -> None:
    path = f"/ws/contests/{SLUG}/announcements"
    client = await asyncio.create_subprocess_exec(
        *[sys.executable, "-m", "realtime.tests.wire.stopped_client"],
        *[f"{patient.port}", path, patient.sessions["alice"]],
        cwd=BASE_DIR,
        stdout=asyncio.subprocess.PIPE,
    )
    assert client.stdout is not None
    lines: list[tuple[float, str]] = []

    async def read() -> None:
        assert client.stdout is not None
        async for line in client.stdout:
            lines.append((time.monotonic(), line.decode().strip()))

    reading = asyncio.create_task(read())
    try:
        await eventually(lambda: any(words == "ping" for _, words in lines), timeout_s=20)
        client.send_signal(signal.SIGSTOP)
        stopped = time.monotonic()
        await asyncio.sleep(STOP_S)  # the fault itself
        assert not [at for at, _ in lines if at > stopped + 0.1], "it stood still"
        client.send_signal(signal.SIGCONT)
        await eventually(lambda: sum(at > stopped + STOP_S for at, _ in lines) >= 6, timeout_s=10)
        assert {words for _, words in lines} == {"live", "ping"}, "it was not closed"
    finally:
        client.kill()
        await client.wait()
        await reading


@pytest.mark.embedded  # nothing in it asks which database there is, and it takes seven seconds
async def test_twelve_slow_commands_on_one_connection(tight: Door) -> None:
    socket = await tight.live("bob", client="asking")
    began = time.monotonic()
    for number in range(12):
        data = {"problem": None, "text": f"Question {number}?"}
        await socket.send({"type": "command", "client_seq": number, "name": "ask", "data": data})
    replies: list[Frame] = []
    waits: list[float] = []
    asked = 0.0
    while len(replies) < 12:
        if time.monotonic() - asked > STORED_S / 2:
            asked = time.monotonic()
            await socket.send("ping")
        frame = await socket.receive(15)
        if frame == "ping":
            await socket.send("pong")
        elif frame == "pong":
            waits.append(time.monotonic() - asked)
        elif isinstance(frame, dict) and frame["type"] == "reply":
            replies.append(frame)
    assert [reply["client_seq"] for reply in replies] == [11, *range(11)], "the twelfth is answered at once"
    assert (replies[0]["ok"], replies[0]["error"]["code"]) == (False, "busy")
    assert replies[0]["error"]["retry_after_ms"] > 0
    assert time.monotonic() - began >= 11 * STORED_S, "the premise: they are slow"
    assert STORED_S > IDLE_KILL_MS / 1000, "while one is stored, others would be closed for their silence"
    assert len(waits) >= 10
    assert sorted(waits)[len(waits) // 2] < 0.1, f"a ping waits for no command: {waits}"


async def test_the_dead_are_closed_between_idle_kill_and_a_heartbeat_later(
    tight: Door, tight_site: SiteProcess
) -> None:
    loop = asyncio.get_running_loop()
    async with SlowPath(tight.port) as path:
        sockets = [await _live_over(path, tight, f"dead-{number}") for number in range(6)]
        for socket in sockets:
            await socket.send("ping")
            while await socket.receive() != "pong":
                pass
        died = loop.time()
        path.is_dead = True
        await eventually(lambda: len(path.cut_at) == len(sockets), timeout_s=10)
        after_s = [at - died for at in path.cut_at]
        # They spoke last within the few milliseconds before `died`.
        assert min(after_s) >= IDLE_KILL_MS / 1000 - 0.1, after_s
        assert max(after_s) <= (IDLE_KILL_MS + HEARTBEAT_MS) / 1000 + PATIENCE_S + SLACK_S, after_s
        for socket in sockets:
            with pytest.raises((TimeoutError, Closed)) as nothing:
                await socket.receive(0.01)
            assert nothing.type is TimeoutError, "the client's end heard of nothing: the path was dead, not cut"
    closed = [line for line in map(_as_json, tight_site.log) if line.get("client", "").startswith("dead-")]
    ended = [line for line in closed if line["message"] == "ended"]
    assert [line["code"] for line in ended] == [4102] * len(sockets)
    for line in ended:
        assert IDLE_KILL_MS <= line["silent_ms"] <= IDLE_KILL_MS + HEARTBEAT_MS + 1000 * SLACK_S, "the server's end"


def _as_json(line: str) -> dict[str, Any]:
    return dict(json.loads(line)) if line.startswith("{") else {}
