"""Clients that take nothing in, in a burst of tens of megabytes: they cost a bounded amount, and only themselves."""

from __future__ import annotations

import asyncio
import re
import time
import urllib.request
from pathlib import Path

from realtime.tests.wire.sockets import Door, Socket
from realtime.tests.wire.stage import Stage
from tools.site_process import SiteProcess

SLOW = 10
TRANSACTIONS, EVENTS, SIZE_BYTES = 30, 50, 20_000
BURST_MB = TRANSACTIONS * EVENTS * SIZE_BYTES / 1e6
CREDIT_MB = 0.6
PAGES_MB = 60
"""What one read of the log and its frames may take, whoever is connected: 200 events, and copies of them."""


def memory_mb(process: SiteProcess) -> float:
    """Resident memory."""
    assert process.process is not None
    status = Path(f"/proc/{process.process.pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) / 1000


def measured(process: SiteProcess, name: str) -> float:
    with urllib.request.urlopen(f"{process.url}/metrics", timeout=5) as answer:
        found = re.search(rf"^{re.escape(name)} (\S+)$", answer.read().decode(), re.MULTILINE)
    return float(found[1]) if found else 0.0


async def read_on(socket: Socket, upto: int) -> float:
    """Take everything in up to this number; the greatest lateness of an event in seconds."""
    late_s = 0.0
    while socket.cursor["contest"]["seq"] < upto:
        frame = await socket.receive(20.0)
        if isinstance(frame, dict) and frame["type"] == "event":
            late_s = max(late_s, time.time() - frame["data"]["at"])
            frame["data"]["text"] = ""  # the test's own memory
    await socket.acknowledge()
    return late_s


async def watch_memory(process: SiteProcess, found: list[float]) -> None:
    while True:
        found.append(memory_mb(process))
        await asyncio.sleep(0.05)


async def test_who_takes_nothing_in_is_let_go_with_4100_and_costs_the_others_nothing(
    strict_site: SiteProcess, door: Door, stage: Stage
) -> None:
    own_door = Door(strict_site.port, door.sessions)
    neighbours = [await own_door.live("bob", client=f"neighbour-{number}") for number in range(3)]
    for socket in neighbours:
        socket.acknowledges = True
        await socket.acknowledge()
    # One burst with nobody slow: what the process needs for it anyway is not counted.
    last = await asyncio.to_thread(stage, "burst", 10, EVENTS, SIZE_BYTES)
    await asyncio.gather(*(read_on(socket, last) for socket in neighbours))

    slow = [await own_door.live("alice", client=f"slow-{number}") for number in range(SLOW)]
    for socket in slow:
        await socket.acknowledge()
        socket.connection.transport.pause_reading()
    before_mb, found_mb = memory_mb(strict_site), list[float]()
    watching = asyncio.create_task(watch_memory(strict_site, found_mb))
    first = neighbours[0].cursor["contest"]["seq"]
    reading = [asyncio.create_task(read_on(socket, first + TRANSACTIONS * EVENTS)) for socket in neighbours]
    await asyncio.to_thread(stage, "burst", TRANSACTIONS, EVENTS, SIZE_BYTES)
    late_s = await asyncio.gather(*reading)
    watching.cancel()
    assert max(late_s) < 2.0, "the neighbours were told everything, and in time"
    assert BURST_MB >= 30
    grew_mb = max(found_mb) - before_mb
    assert grew_mb < SLOW * CREDIT_MB + PAGES_MB, f"not {SLOW} times {BURST_MB:.0f} MB"

    deadline = time.monotonic() + 10
    while measured(strict_site, 'fathom_closes_total{code="4100",stream="announcements"}') < SLOW:
        assert time.monotonic() < deadline, "the slow ones were to be let go"
        await asyncio.sleep(0.1)
    slow[0].connection.transport.resume_reading()
    assert await slow[0].until_closed() == 4100, "who reads on in time is told so"
    assert len(slow[0].events()) < EVENTS, "no more than a credit's worth was on the way to it"
    again = await own_door.open("alice", client="slow-0")
    again.acknowledges = True
    await again.greet(cursor=slow[0].cursor, cause="slow")
    await read_on(again, first + TRANSACTIONS * EVENTS)
    assert measured(strict_site, 'fathom_connections{stream="announcements"}') == len(neighbours) + 1
    await asyncio.gather(*(socket.connection.close() for socket in (*neighbours, again)))
