"""The way out of a connection: in order, without tasks while the client reads, bounded while it does not."""

from __future__ import annotations

import asyncio

from realtime.hub.connection import Connection, State, Watchers
from realtime.hub.outbox import WAITING_LIMIT, Message, Outbox
from realtime.wire.protocol import CloseCode


class Pipe:
    """An ASGI `send` whose write buffer can be full."""

    def __init__(self) -> None:
        self.writable = asyncio.Event()
        self.writable.set()
        self.sent: list[Message] = []
        self.is_broken = False
        self.room = 0
        self.lost = 0

    async def send(self, message: Message) -> None:
        await self.writable.wait()
        if self.is_broken:
            raise ConnectionError
        self.sent.append(message)

    def on_room(self) -> None:
        self.room += 1

    def on_lost(self) -> None:
        self.lost += 1

    def outbox(self) -> Outbox:
        return Outbox(self.send, on_room=self.on_room, on_lost=self.on_lost)


def numbered(count: int) -> list[Message]:
    return [{"type": "websocket.send", "text": str(number)} for number in range(count)]


async def test_while_there_is_room_nothing_waits_and_no_task_is_made() -> None:
    pipe = Pipe()
    outbox, before = pipe.outbox(), len(asyncio.all_tasks())
    for message in numbered(5):
        assert outbox.put(message)
    assert pipe.sent == numbered(5), "written before the loop has turned"
    assert len(asyncio.all_tasks()) == before


async def test_what_follows_a_blocked_frame_keeps_its_place() -> None:
    pipe = Pipe()
    outbox = pipe.outbox()
    pipe.writable.clear()
    for message in numbered(5):
        assert outbox.put(message)
    assert outbox.is_blocked
    assert pipe.sent == []
    pipe.writable.set()
    await outbox.wait()
    assert pipe.sent == numbered(5)
    assert (outbox.is_blocked, pipe.room) == (False, 1)


async def test_what_waits_is_bounded() -> None:
    pipe = Pipe()
    outbox = pipe.outbox()
    pipe.writable.clear()
    taken = [outbox.put(message) for message in numbered(WAITING_LIMIT + 2)]
    assert taken == [True] * (WAITING_LIMIT + 1) + [False]
    outbox.cancel()


async def test_a_client_that_is_gone_is_noticed_once_and_raises_nothing() -> None:
    pipe = Pipe()
    outbox = pipe.outbox()
    pipe.is_broken = True
    assert outbox.put(numbered(1)[0])
    assert pipe.lost == 1


async def test_a_blocked_connection_takes_no_events_and_is_given_up_in_time() -> None:
    pipe, closed = Pipe(), list[Connection]()
    connection = Connection(pipe.send, Watchers(lambda _: None, lambda _: None, closed.append))
    connection.state = State.LIVE
    took_events = connection.takes_events
    pipe.writable.clear()
    connection.send("{}")
    assert (took_events, connection.takes_events) == (True, False), "events stay in the log"
    connection.close(CloseCode.SLOW)
    assert connection.is_blocked, "not even the close can be written"
    assert closed == [connection], "but from here on nothing is done for it"
    connection.drop()
    assert not connection.is_open
    assert closed == [connection]
