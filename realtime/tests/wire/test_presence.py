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

DIES_WITHIN_S = 4 * BEAT_MS / 1000
"""A page that is asked for later than this after a node's last beat never counts its people."""
PATIENCE_S = 20
"""For what comes within a second or two on a machine that has nothing else to do."""


def ledger(door: Door, notice: int) -> dict[str, Any]:
    """By user name, as the jury's page says it."""
    address = f"http://127.0.0.1:{door.port}/staff/contests/{SLUG}/notices/{notice}/?format=json"
    request = urllib.request.Request(address, headers={"Cookie": f"sessionid={door.sessions['grace']}"})
    with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
        return {person["user"]: person for person in json.load(answer)["people"]}


async def until(door: Door, notice: int, who: str, *, connected: bool, within_s: float = PATIENCE_S) -> dict[str, Any]:
    """`within_s` is when the page is asked for: a busy machine may take its time for the answer."""
    deadline = time.monotonic() + within_s
    while True:
        is_late = time.monotonic() > deadline
        person: dict[str, Any] = (await asyncio.to_thread(ledger, door, notice))[who]
        if person["connected"] is connected:
            return person
        assert not is_late, f"{who} is still {'not ' if connected else ''}connected"
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
    await until(door, notice, "alice", connected=False)
    jury = await door.live("grace", client="jury")
    await door.live("bob", client="bobs")
    hers = await Door(other.port, door.sessions).live("alice", client="hers")
    await until(door, notice, "alice", connected=True)
    await until(door, notice, "bob", connected=True)
    other.kill()
    assert await hers.until_closed() == 1006
    person = await until(door, notice, "alice", connected=False, within_s=DIES_WITHIN_S)
    assert person["disconnected_since"]
    assert (await asyncio.to_thread(ledger, door, notice))["bob"]["connected"], "he is on the node that lives"
    told: dict[str, bool] = {}
    while told.get("alice") is not False:
        people = (await jury.until("event", "presence.changed", timeout_s=PATIENCE_S))["data"]["people"]
        told |= {each["user"]: each["connected"] for each in people}
    assert told["alice"] is False
