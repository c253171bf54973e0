"""Two nodes of one site: whose people are connected, also when one of them is killed."""

from __future__ import annotations

import asyncio
import json
import time
import urllib.request
from typing import Any

import pytest

from realtime.tests.wire.sockets import Door
from realtime.tests.wire.stage import BEAT_MS, SLUG, Stage
from tools.site_process import SiteProcess

DIES_WITHIN_S = 4 * BEAT_MS / 1000 + 4


def ledger(door: Door, notice: int) -> dict[str, Any]:
    """By user name, as the jury's page says it."""
    address = f"http://127.0.0.1:{door.port}/staff/contests/{SLUG}/notices/{notice}/?format=json"
    request = urllib.request.Request(address, headers={"Cookie": f"sessionid={door.sessions['grace']}"})
    with urllib.request.urlopen(request, timeout=5) as answer:
        return {person["user"]: person for person in json.load(answer)["people"]}


async def until(door: Door, notice: int, who: str, *, connected: bool, within_s: float) -> dict[str, Any]:
    deadline = time.monotonic() + within_s
    while True:
        person: dict[str, Any] = (await asyncio.to_thread(ledger, door, notice))[who]
        if person["connected"] is connected:
            return person
        assert time.monotonic() < deadline, f"{who} is still {'not ' if connected else ''}connected"
        await asyncio.sleep(0.2)


@pytest.fixture
def other(site: SiteProcess, door: Door) -> Any:
    process = SiteProcess(site.data_dir, {**site.environment, "FATHOM_NODE_ID": "other"})
    process.environment["FATHOM_PORT"] = str(process.port)
    process.start()
    yield process
    process.kill()


async def test_the_people_of_a_killed_node_are_not_connected_within_seconds(
    door: Door, stage: Stage, other: SiteProcess
) -> None:
    notice = stage("post", "who is here?")
    jury = await door.live("grace", client="jury")
    bobs = await door.live("bob", client="bobs")
    hers = await Door(other.port, door.sessions).live("alice", client="hers")
    await until(door, notice, "alice", connected=True, within_s=5)
    await until(door, notice, "bob", connected=True, within_s=5)
    other.kill()
    assert await hers.until_closed() == 1006
    person = await until(door, notice, "alice", connected=False, within_s=DIES_WITHIN_S)
    assert person["disconnected_since"]
    assert (await asyncio.to_thread(ledger, door, notice))["bob"]["connected"], "he is on the node that lives"
    told: dict[str, bool] = {}
    while told.get("alice") is not False:
        people = (await jury.until("event", "presence.changed", timeout_s=10))["data"]["people"]
        told |= {each["user"]: each["connected"] for each in people}
    assert told["alice"] is False
    await bobs.connection.close()
