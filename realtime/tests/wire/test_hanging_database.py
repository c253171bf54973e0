"""The database hangs: it is there and does not answer. Who is connected is answered, nobody is cut, nothing is lost."""

from __future__ import annotations

import asyncio
import time
import urllib.error
import urllib.request

import pytest

from realtime.tests.clients import Frame
from realtime.tests.hanging import locked_sqlite, stopped_postgresql
from realtime.tests.wire.sockets import Door, Socket
from realtime.tests.wire.stage import Stage
from tools.services import Services
from tools.site_process import SiteProcess

HANGS_S = 3.0
PONG_S = 0.5
"""A few milliseconds are usual; this is for a machine that does something else."""


async def _asks_and_is_answered(socket: Socket, for_s: float) -> list[Frame]:
    """Send twelve commands and pings all the while. Answers the replies that came meanwhile."""
    for number in range(1, 13):
        data = {"problem": None, "text": f"Hanging {number}?"}
        await socket.send({"type": "command", "client_seq": number, "name": "ask", "data": data})
    replies, began = [], time.monotonic()
    while time.monotonic() - began < for_s:
        asked = time.monotonic()
        await socket.send("ping")
        while (frame := await socket.receive()) != "pong":
            if isinstance(frame, dict) and frame["type"] == "reply":
                replies.append(frame)
        assert time.monotonic() - asked < PONG_S, "a pong waits for no database"
        await asyncio.sleep(0.1)
    return replies


async def _all_is_done(socket: Socket, live: Socket, stage: Stage) -> None:
    replies = [await socket.until("reply", timeout_s=20) for _ in range(11)]
    assert [(reply["client_seq"], reply["ok"]) for reply in replies] == [(n, True) for n in range(1, 12)]
    notice = await asyncio.to_thread(stage, "post", "after the hanging")
    for each in (socket, live):
        assert (await each.until("event", "announcement.posted"))["data"]["id"] == notice


@pytest.mark.embedded
async def test_while_somebody_holds_the_writers_lock(site: SiteProcess, door: Door, stage: Stage) -> None:
    session, _ = stage("enroll", "hanging")
    own = Door(door.port, {**door.sessions, "hanging": session})
    socket, live = await own.live("hanging"), await own.live("bob", client="looking-on")
    with locked_sqlite(site.data_dir / "fathom.sqlite3"):
        replies = await _asks_and_is_answered(socket, HANGS_S)
        newcomer = await own.live("grace", client="reads-only")
        assert newcomer.received[0]["type"] == "welcome", "who only reads is let in"
    assert [(reply["client_seq"], reply["error"]["code"]) for reply in replies] == [(12, "busy")]
    assert replies[0]["error"]["retry_after_ms"] > 0
    await _all_is_done(socket, live, stage)


@pytest.mark.scaled
async def test_while_postgresql_stands_still(
    site: SiteProcess, own_services: Services, door: Door, stage: Stage
) -> None:
    session, _ = stage("enroll", "hanging")
    own = Door(door.port, {**door.sessions, "hanging": session})
    socket, live = await own.live("hanging"), await own.live("bob", client="looking-on")
    with stopped_postgresql(own_services.postgresql):
        ready = asyncio.create_task(asyncio.to_thread(_readiness, site))
        replies = await _asks_and_is_answered(socket, HANGS_S)
        assert await ready == 503
    assert [(reply["client_seq"], reply["error"]["code"]) for reply in replies] == [(12, "busy")]
    assert replies[0]["error"]["retry_after_ms"] > 0
    await _all_is_done(socket, live, stage)
    assert _readiness(site) == 200


def _readiness(site: SiteProcess) -> int:
    try:
        with urllib.request.urlopen(f"{site.url}/readyz", timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        return refused.code
