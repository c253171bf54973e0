"""Hub, catching up and connections over a log in memory: the real delivery code without database, sockets or threads.

Every read takes some turns of the loop, so whatever can happen in between does happen in one run or another.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import pytest
from django.utils import timezone

from realtime import database
from realtime.hub import catch_up, hub
from realtime.hub.connection import Connection, State, Watchers
from realtime.log.reading import Entry, Head, Page, Want
from realtime.tests.conversation import Conversation, Frame
from realtime.wire import frames
from realtime.wire.protocol import Cursor

TOPICS = {"contest": "c1", "me": "c1.u1"}
"""Short name → key; `me` is every client's own, to keep the world small."""


@dataclass
class Topic:
    epoch: str = "e0"
    floor: int = 0
    entries: list[Entry] = field(default_factory=list)

    @property
    def head(self) -> Head:
        return Head(self.epoch, len(self.entries), self.floor)


class MemoryLog:
    """As `realtime.log`, in a dictionary. Every entry's data is a number that no other entry ever has."""

    def __init__(self) -> None:
        self._marks = count(1)
        self.topics = {key: Topic() for key in TOPICS.values()}

    def append(self, key: str, state_of: str) -> None:
        entries = self.topics[key].entries
        entries.append(Entry(len(entries) + 1, "told", str(next(self._marks)), state_of, not state_of, timezone.now()))

    def restore(self, lost: int) -> None:
        """A backup is played back, which lacks the last `lost` events of each topic."""
        for topic in self.topics.values():
            topic.epoch = f"e{int(topic.epoch[1:]) + 1}"
            topic.entries = topic.entries[: max(topic.floor, len(topic.entries) - lost)]

    def read_pages(self, wants: Sequence[Want]) -> list[Page]:
        return [self._page(want, self.topics[want.key]) for want in wants]

    def _page(self, want: Want, topic: Topic) -> Page:
        return Page(topic.head, topic.entries[max(want.after, topic.floor) : want.upto])

    def read_heads(self, keys: Sequence[str]) -> dict[str, Head]:
        return {key: self.topics[key].head for key in keys}


def is_of_b(entry: Entry) -> bool:
    return entry.object_key == "b"


class Reader(Conversation):
    """A client in the same loop. While it `reads` nothing, the way to it is full. Some do not ask for object `b`."""

    def __init__(self, *, asks_for_b: bool) -> None:
        super().__init__("reader")
        self.asks_for_b = asks_for_b
        self.promised: set[int] = set()
        self.known: dict[str, set[int]] = {key: set() for key in TOPICS.values()}
        self.failures: list[str] = []
        self.controls = 0
        self.reads = asyncio.Event()
        self.reads.set()
        self.connection: Connection

    async def carry(self, message: dict[str, Any]) -> None:
        """What the server program would do with `message`."""
        if not self.reads.is_set():
            await self.reads.wait()
        try:
            self._learn(self.take(message["text"]))
        except AssertionError as error:  # the connection would take it for a lost client
            self.failures.append(str(error))

    def _learn(self, frame: Frame) -> None:
        self.controls += frame["type"] != "event"
        if frame["type"] == "snapshot":
            self.known = {key: set(numbers) for key, numbers in frame["data"].items()}
        elif frame["type"] == "event":
            self.known[TOPICS[frame["topic"]]].add(frame["data"])
        elif frame["type"] == "synced":
            assert self.promised <= set.union(*self.known.values()), "synced before all of the replay was told"

    def see(self) -> None:
        self.connection.on_seen(len(self.received))

    async def send_text(self, text: str) -> None:
        raise NotImplementedError

    async def receive_text(self, timeout_s: float) -> str:
        raise NotImplementedError


class World:
    """What `realtime.node` is to the real parts, with attaching as `realtime.entry.attach` does it."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.log = MemoryLog()
        self.readers: list[Reader] = []
        self.catch_up = catch_up.CatchUp(self._resync)
        self.hub = hub.Hub(self.catch_up.add, self._resync)
        self.attaching: set[asyncio.Task[None]] = set()
        self._by_connection: dict[Connection, Reader] = {}
        self.loops = [asyncio.create_task(each) for each in (self.hub.run(), self.catch_up.run())]

    async def run(self, pool: object, work: Callable[..., Any], *arguments: Any) -> Any:
        """In place of `database.run`: the answer is of one moment, and comes some time after it."""
        await self.turns()
        answer = work(*arguments)
        await self.turns()
        return answer

    async def turns(self) -> None:
        for _ in range(self.chance.randrange(6)):
            await asyncio.sleep(0)

    # --- Clients -----------------------------------------------------------------------------------

    def enter(self, cursor: dict[str, Any] | None) -> None:
        reader = Reader(asks_for_b=self.chance.random() < 0.7)
        reader.connection = Connection(reader.carry, Watchers(self.serve, lambda _: None, lambda _: None))
        if not reader.asks_for_b:
            reader.connection.leaves_out = is_of_b
        self._by_connection[reader.connection] = reader
        self.readers.append(reader)
        if cursor is not None:
            reader.cursor = dict(cursor)
        self._attach(reader, cursor)

    def leave(self, reader: Reader) -> None:
        self.hub.unsubscribe(reader.connection)
        self.catch_up.discard(reader.connection)
        reader.connection.lose()
        self.readers.remove(reader)

    def _attach(self, reader: Reader, cursor: dict[str, Any] | None) -> None:
        reader.connection.state = State.ATTACHING
        task = asyncio.create_task(self._attach_later(reader, cursor))
        self.attaching.add(task)
        task.add_done_callback(self.attaching.discard)

    async def _attach_later(self, reader: Reader, cursor: dict[str, Any] | None) -> None:
        await self.turns()
        heads = self.log.read_heads(list(TOPICS.values()))
        is_served = cursor is not None and all(
            heads[key].serves(Cursor(cursor[short]["epoch"], cursor[short]["seq"])) for short, key in TOPICS.items()
        )
        logs = {key: list(topic.entries) for key, topic in self.log.topics.items()}
        if not reader.connection.is_synced:  # else its `synced` may be on the way already
            reader.promised = {int(entry.data) for entries in logs.values() for entry in entries if entry.is_kept}
        await self.turns()
        if not reader.connection.is_open:
            return
        reader.connection.state = State.REPLAYING
        for short, key in TOPICS.items():
            position = cursor[short]["seq"] if is_served and cursor is not None else heads[key].seq
            self.hub.subscribe(reader.connection, key, short, heads[key], position)
        if is_served and cursor is not None:
            logs = {key: logs[key][: cursor[short]["seq"]] for short, key in TOPICS.items()}
        data = {key: [int(entry.data) for entry in entries] for key, entries in logs.items()}
        if is_served:
            reader.known = {key: set(marks) for key, marks in data.items()}
        else:
            reader.connection.send(frames.snapshot(reader.connection.cursors, frames.encode(data)))
        self.serve(reader.connection)

    def serve(self, connection: Connection) -> None:
        catch_up.finish_replay(connection)
        if any(catch_up.is_behind(each) for each in connection.subscriptions):
            self.catch_up.add(connection)

    def _resync(self, connection: Connection) -> None:
        if connection.state in (State.LIVE, State.REPLAYING, State.SUSPENDED):
            self.hub.unsubscribe(connection)
            self._attach(self._by_connection[connection], None)

    # --- The end -----------------------------------------------------------------------------------

    async def settle(self) -> None:
        """Everybody reads on and acknowledges, until nothing moves any more."""
        for reader in self.readers:
            reader.reads.set()
            reader.connection.resume()
            self.serve(reader.connection)
        still = 0
        while still < 4:
            before = [len(reader.received) for reader in self.readers]
            for _ in range(30):
                await asyncio.sleep(0)
            for reader in self.readers:
                reader.see()
            is_still = before == [len(reader.received) for reader in self.readers] and not self.attaching
            still = still + 1 if is_still else 0

    async def end(self) -> None:
        for task in [*self.loops, *self.attaching]:
            task.cancel()
        await asyncio.gather(*self.loops, *self.attaching, return_exceptions=True)


def install(monkeypatch: pytest.MonkeyPatch, world: World) -> None:
    """Let the real parts read this world's log."""
    monkeypatch.setattr(database, "run", world.run)
    for module in (hub, catch_up):
        monkeypatch.setattr(module, "read_pages", world.log.read_pages)
    monkeypatch.setattr(hub, "read_heads", world.log.read_heads)
