"""Whatever happens in whatever order, in the end every open page knows all that it may know, each thing told once."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from realtime.hub import catch_up, hub
from realtime.hub.connection import Connection
from realtime.tests.small_world import TOPICS, Reader, World, install, is_of_b
from realtime.wire import credit, frames

pytestmark = [pytest.mark.embedded, pytest.mark.slow]

SCHEDULES = 500
RARE = (1597,)
"""Seeds of schedules that found what hardly any other finds: reading heads before a restore, following after it."""
STEPS = (4, 10, 25, 60)
KINDS_OF_STEPS = {
    "post": 6,
    "enter": 3,
    "come back": 3,
    "leave": 2,
    "see": 6,
    "stall": 1,
    "read on": 2,
    "suspend": 1,
    "resume": 2,
    "wait": 4,
}
FAULTS = {"post unheard": 1, "forget": 1, "restore": 1}


class Schedule:
    """One run. Half of them are without faults: there, nothing may depend on anything being looked at once more."""

    def __init__(self, world: World, seed: int) -> None:
        self.world = world
        self.seed = seed
        self.has_faults = bool(seed % 2)
        self.gone: list[dict[str, Any]] = []
        self.ever: list[Reader] = []

    async def run(self) -> None:
        kinds = KINDS_OF_STEPS | (FAULTS if self.has_faults else {})
        for kind in self.world.chance.choices(list(kinds), list(kinds.values()), k=self.world.chance.choice(STEPS)):
            self._do(kind)
            await self.world.turns()
            for reader in self.world.readers:
                waiting = len(reader.connection.credit.sizes) - reader.controls
                assert waiting <= credit.FRAMES + 3, "events wait in the log, not on the way"
        self.ever += self.world.readers
        async with asyncio.timeout(20):
            await self.world.settle()
            if self.has_faults:
                await self.world.hub.compare_with_heads(list(self.world.hub.feeds))
                await self.world.settle()
        for reader in self.ever:
            assert not reader.failures
            assert not reader.duplicates
        for reader in self.world.readers:
            check(self.world, reader)

    def _do(self, kind: str) -> None:
        world = self.world
        key = world.chance.choice(list(TOPICS.values()))
        if kind in ("post", "post unheard"):
            self._post(key, is_heard=kind == "post")
        elif kind == "enter":
            world.enter(None)
        elif kind == "come back" and self.gone:
            world.enter(world.chance.choice(self.gone))
        elif kind == "forget":
            topic = world.log.topics[key]
            topic.floor = max(topic.floor, len(topic.entries) - world.chance.randrange(12))
        elif kind == "restore":
            world.log.restore(lost=world.chance.randrange(4))
            world.hub.wake(TOPICS.values())
        elif world.readers:
            self._treat(world.chance.choice(world.readers), kind)

    def _post(self, key: str, *, is_heard: bool) -> None:
        for _ in range(self.world.chance.choice([1, 1, 2, 3, 8, 15])):
            self.world.log.append(key, self.world.chance.choice(["", "", "a", "b"]))
        if is_heard:
            self.world.hub.wake([key])

    def _treat(self, reader: Reader, kind: str) -> None:
        """Something happens to one client."""
        if kind == "leave" and reader.cursor:
            self.gone.append(reader.cursor)
            self.ever.append(reader)
            self.world.leave(reader)
        elif kind == "see":
            reader.see()
        elif kind == "stall":
            reader.reads.clear()
        elif kind == "read on":
            reader.reads.set()
        elif kind == "suspend":
            reader.connection.suspend()
        elif kind == "resume":
            reader.connection.resume()
            self.world.serve(reader.connection)


def check(world: World, reader: Reader) -> None:
    assert reader.connection.is_open
    assert reader.connection.is_synced
    for short, key in TOPICS.items():
        entries = world.log.topics[key].entries
        asked = [entry for entry in entries if reader.asks_for_b or not is_of_b(entry)]
        newest = {entry.object_key: entry for entry in asked}
        needed = [entry for entry in asked if entry.is_kept or newest[entry.object_key] is entry]
        assert {int(entry.data) for entry in needed} <= reader.known[key], "nothing is missing but what was replaced"
        cursor = reader.cursor[short]
        assert cursor["epoch"] == world.log.topics[key].epoch
        assert cursor["seq"] <= len(entries)
        assert not [entry for entry in asked if entry.seq > cursor["seq"]]


async def live_through(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    world = World(seed)
    install(monkeypatch, world)
    try:
        await Schedule(world, seed).run()
    except (AssertionError, TimeoutError) as error:
        raise AssertionError(f"in the schedule of seed {seed}: {error}") from error
    finally:
        await world.end()


def test_in_the_end_everybody_knows_everything_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(credit, "FRAMES", 6)
    monkeypatch.setattr(hub, "MERGE_S", 0)
    monkeypatch.setattr(hub, "PAGE", 5)
    monkeypatch.setattr(hub, "TURN", 1)
    monkeypatch.setattr(catch_up, "PAGE", 3)
    for seed in (*range(SCHEDULES), *RARE):
        asyncio.run(live_through(monkeypatch, seed))


async def test_credit_that_comes_back_in_small_change_does_not_cost_a_read_each_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """For the room that one `seen` makes, most of a page of the log would be read and thrown away."""
    world = World(0)
    install(monkeypatch, world)
    world.enter(None)
    await world.settle()
    (reader,) = world.readers
    for _ in range(credit.FRAMES // 2 + 1):
        reader.connection.send('{"type":"reply"}')
    world.catch_up.add(reader.connection)
    assert reader.connection.takes_events, "what happens now would still be told"
    assert reader.connection not in world.catch_up._behind
    reader.see()
    world.catch_up.add(reader.connection)
    assert reader.connection in world.catch_up._behind
    await world.end()


async def test_who_starts_again_while_others_are_being_told_is_not_told_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "TURN", 1)
    monkeypatch.setattr(hub, "MERGE_S", 0)
    world = World(0)
    install(monkeypatch, world)
    for _ in range(2):
        world.enter(None)
        await world.settle()
    first, second = world.readers

    def start_second_again(_: Connection) -> None:
        """What `resync` comes to, when its attaching ends just now."""
        first.connection._watchers.on_outstanding = lambda _: None
        heads = world.log.read_heads(list(TOPICS.values()))
        world.hub.unsubscribe(second.connection)
        for short, key in TOPICS.items():
            world.hub.subscribe(second.connection, key, short, heads[key], heads[key].seq)
        second.connection.send(frames.snapshot(second.connection.cursors, '{"c1":[1],"c1.u1":[]}'))

    first.connection._watchers.on_outstanding = start_second_again
    world.log.append("c1", "")
    world.hub.wake(["c1"])
    await world.settle()
    assert [frame["data"] for frame in first.events()] == [1], "the first was told, and the second started again"
    assert second.received[-1]["type"] == "snapshot"
    assert not second.events()
    await world.end()
