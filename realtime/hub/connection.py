"""One live connection: a cursor with a credit.

It holds where it has been served up to in each of its topics, and how much may be on its way. The
hub hands it events while it is level with the log; otherwise it is served from the log, page by
page (`realtime.hub.catch_up`). There is no outgoing queue that could grow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import TYPE_CHECKING

from realtime import metrics
from realtime.clock import now_ms
from realtime.hub import server_program
from realtime.hub.outbox import Outbox, Send
from realtime.log.reading import Entry
from realtime.wire import frames
from realtime.wire.credit import Credit
from realtime.wire.frames import EventText
from realtime.wire.protocol import CloseCode, Cursor, EndCode, RetryCode

if TYPE_CHECKING:
    from realtime.hub.feeds import Feed


class State(Enum):
    GREETING = "greeting"  # accepted; who it is and its hello are awaited
    ATTACHING = "attaching"  # its rights, heads and perhaps a snapshot are being read
    REPLAYING = "replaying"  # welcomed; reads the log up to the heads of that moment, then `synced`
    LIVE = "live"  # synced: what happens is told as it happens
    SUSPENDED = "suspended"  # its rights may have changed: nothing is told until that is known
    CLOSING = "closing"  # told why and closed; waits for the client's half
    GONE = "gone"  # nothing can be sent any more


class Subscription:
    """One topic of one connection. `position`: served up to; `told`: the newest number its client knows of."""

    __slots__ = ("connection", "feed", "position", "short", "target", "told")

    def __init__(self, connection: Connection, feed: Feed, short: str, position: int, target: int) -> None:
        self.connection = connection
        self.feed = feed
        self.short = short
        self.position = position
        self.told = position
        self.target = target

    @property
    def cursor(self) -> Cursor:
        return Cursor(self.feed.epoch, self.position)

    @property
    def told_cursor(self) -> Cursor:
        return Cursor(self.feed.epoch, self.told)


class Watchers:
    """What a connection tells its surroundings; set by the node that holds it."""

    __slots__ = ("on_closed", "on_outstanding", "on_room")

    def __init__(
        self,
        on_room: Callable[[Connection], None],
        on_outstanding: Callable[[Connection], None],
        on_closed: Callable[[Connection], None],
    ) -> None:
        self.on_room = on_room
        self.on_outstanding = on_outstanding
        self.on_closed = on_closed


def _keeps_all(entry: Entry) -> bool:
    return False


def _ignore(entry: Entry) -> None:
    pass


class Connection:
    """The sending half of a socket, with its cursors, its credit and its state."""

    __slots__ = (
        "__weakref__",
        "_outbox",
        "_send",
        "_watchers",
        "closed_with",
        "credit",
        "heard_ms",
        "is_synced",
        "leaves_out",
        "observe",
        "opened_ms",
        "slot",
        "state",
        "subscriptions",
        "told_ms",
    )

    def __init__(self, send: Send, watchers: Watchers) -> None:
        self._send = send
        self._watchers = watchers
        self._outbox = Outbox(send, on_room=self._on_unblocked, on_lost=self.lose)
        self.credit = Credit()
        self.state = State.GREETING
        self.is_synced = False
        self.closed_with: CloseCode | None = None
        self.subscriptions: list[Subscription] = []
        self.opened_ms = self.heard_ms = self.told_ms = now_ms()
        self.slot = 0
        self.leaves_out: Callable[[Entry], bool] = _keeps_all
        """Whether an event was not asked for on this connection."""
        self.observe: Callable[[Entry], None] = _ignore
        """Called for each event that was written to this connection."""

    # --- Sending ----------------------------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        return self.state not in (State.CLOSING, State.GONE)

    @property
    def takes_events(self) -> bool:
        """Whether one more event may be written right now."""
        return self.state in (State.LIVE, State.REPLAYING) and self.credit.has_room and not self._outbox.is_blocked

    @property
    def takes_a_page(self) -> bool:
        """Whether it is worth a read of the log: for the room that one `seen` makes, most of a page is thrown away."""
        return self.takes_events and self.credit.has_half_of_its_room

    def send_word(self, word: str) -> None:
        """`ping` or `pong`; they take no credit."""
        self._put({"type": "websocket.send", "text": word})

    def send(self, text: str, size_bytes: int | None = None) -> None:
        """One JSON frame."""
        if not self.is_open:
            return
        was_all_seen = self.credit.is_all_seen
        self.credit.take(len(text.encode()) if size_bytes is None else size_bytes)
        if was_all_seen:
            self._watchers.on_outstanding(self)
        self._put({"type": "websocket.send", "text": text})

    def deliver(self, subscription: Subscription, batch: Sequence[tuple[Entry, EventText]]) -> bool:
        """Write the events of `batch`, which follow the position of `subscription`. False if not all could be."""
        for entry, text in batch:
            if not self.takes_events:
                return False
            if self.leaves_out(entry):
                metrics.left_out.inc()
            else:
                self.send(text.after(subscription.told), text.size_bytes)
                subscription.told = entry.seq
                self.observe(entry)
            subscription.position = entry.seq
        return True

    def _put(self, message: dict[str, object]) -> None:
        if self.state is State.GONE:
            return
        self.told_ms = now_ms()
        if not self._outbox.put(message):
            self.drop()

    def _on_unblocked(self) -> None:
        if self.state is not State.GONE:
            self._watchers.on_room(self)

    # --- Credit -----------------------------------------------------------------------------------

    def suspend(self) -> None:
        """Tell nothing until `resume`: its rights may have changed."""
        if self.state in (State.LIVE, State.REPLAYING):
            self.state = State.SUSPENDED

    def resume(self) -> None:
        if self.state is State.SUSPENDED:
            self.state = State.LIVE if self.is_synced else State.REPLAYING

    def on_seen(self, frames_seen: int) -> bool:
        """Whether that is news."""
        if not self.credit.give_back(frames_seen):
            return False
        self._watchers.on_outstanding(self)
        self._watchers.on_room(self)
        return True

    @property
    def is_level(self) -> bool:
        return all(each.position >= each.feed.level for each in self.subscriptions)

    @property
    def cursors(self) -> dict[str, Cursor]:
        return {each.short: each.cursor for each in self.subscriptions}

    # --- Ending -----------------------------------------------------------------------------------

    def end(self, code: EndCode, message: str, close_code: CloseCode) -> None:
        """It is over for good: say why, then close."""
        self.send(frames.end(code, message))
        self.close(close_code)

    def refuse(self, code: RetryCode, message: str, retry_after_ms: int, close_code: CloseCode) -> None:
        """Not now: say why and when to come back, then close."""
        self.send(frames.retry(code, message, retry_after_ms))
        self.close(close_code)

    def close(self, code: CloseCode) -> None:
        if not self.is_open:
            return
        self.state = State.CLOSING
        self.closed_with = code
        self._put({"type": "websocket.close", "code": int(code)})
        self._watchers.on_closed(self)

    def drop(self) -> None:
        """Give up at once: this client takes nothing in, not even a close frame."""
        self.lose()
        self._outbox.cancel()
        server_program.abort(self._send)

    def lose(self) -> None:
        """The socket is gone. Safe to call at any time and any number of times."""
        if self.state is State.GONE:
            return
        was_open = self.is_open
        self.state = State.GONE
        if was_open:
            self._watchers.on_closed(self)

    async def until_written(self) -> None:
        """Until everything that was sent has been taken by the server program."""
        await self._outbox.wait()

    @property
    def is_blocked(self) -> bool:
        return self._outbox.is_blocked
