"""Serving connections that are behind: from the log, page by page, as their credit allows.

One rule for replay after a reconnect, for replay that meets live events, for slow readers and for
a herd: read after the connection's own position until it is level. Connections at the same
position share one read and one encoding.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

from realtime import database, metrics
from realtime.hub.connection import Connection, State, Subscription
from realtime.hub.feeds import short_name
from realtime.log.reading import Entry, Head, Page, Want, read_pages, without_replaced
from realtime.wire import frames
from realtime.wire.frames import EventText

logger = logging.getLogger(__name__)

CONNECTIONS_A_TURN = 200
PAGE = 64
"""Events of one topic read at once for one position."""
RETRY_S = 0.5


@dataclass(frozen=True, slots=True)
class Served:
    """What the log answered for one position: its events, encoded, or a head that does not lead there."""

    head: Head
    want: Want
    batch: list[tuple[Entry, EventText]]

    def continues(self, subscription: Subscription) -> bool:
        # Without a batch it is behind, and yet there is nothing after its position.
        return bool(self.batch) and subscription.feed.continues_at(self.head, self.want.after)


class CatchUp:
    """`on_reset` takes a connection whose position the log does not serve any more."""

    def __init__(self, on_reset: Callable[[Connection], None]) -> None:
        self._on_reset = on_reset
        self._behind: dict[Connection, None] = {}
        self._wake = asyncio.Event()

    def add(self, connection: Connection) -> None:
        """Serve `connection` if it can be served now; if not, whoever gives it room adds it again."""
        if connection.takes_a_page and connection not in self._behind:
            self._behind[connection] = None
            self._wake.set()

    def discard(self, connection: Connection) -> None:
        self._behind.pop(connection, None)

    async def run(self) -> None:
        while True:
            await self._wake.wait()
            turn = list(islice(self._behind, CONNECTIONS_A_TURN))
            if not turn:
                self._wake.clear()
                continue
            try:
                await self._serve(turn)
            except Exception as error:
                logger.warning("the log cannot be read, trying again: %s", error)
                await asyncio.sleep(RETRY_S)

    async def _serve(self, turn: Sequence[Connection]) -> None:
        behind = [each for connection in turn for each in connection.subscriptions if is_behind(each)]
        wants = list({want_of(each): None for each in behind})
        pages = await database.run(database.reading, read_pages, wants) if wants else []
        served = {want: _batch_of(want, page) for want, page in zip(wants, pages, strict=True)}
        for connection in turn:
            self._behind.pop(connection, None)
            self._serve_one(connection, served)

    def _serve_one(self, connection: Connection, served: dict[Want, Served]) -> None:
        for subscription in connection.subscriptions:
            want = want_of(subscription)
            if not is_behind(subscription) or want not in served:
                continue
            if not served[want].continues(subscription):
                self._on_reset(connection)
                return
            metrics.replayed.labels(subscription.short).inc(len(served[want].batch))
            connection.deliver(subscription, served[want].batch)
        finish_replay(connection)
        if any(is_behind(each) for each in connection.subscriptions):
            self.add(connection)


def _batch_of(want: Want, page: Page) -> Served:
    short = short_name(want.key)
    entries = without_replaced(page.entries)
    metrics.left_out.inc(len(page.entries) - len(entries))
    batch = [(each, frames.event(short, want.key, each.seq, each.name, each.data)) for each in entries]
    return Served(page.head, want, batch)


def is_behind(subscription: Subscription) -> bool:
    return subscription.position < max(subscription.feed.level, subscription.target)


def want_of(subscription: Subscription) -> Want:
    return Want(subscription.feed.key, subscription.position, subscription.position + PAGE)


def finish_replay(connection: Connection) -> None:
    """Say `synced` once everything up to the heads of attaching has been told.

    Its cursor goes as far as the client was told, not as far as it was served: then a client that is not there
    when `synced` comes has lost a frame, even if that was the last one before it.
    """
    if connection.state is not State.REPLAYING:
        return
    if any(each.position < each.target for each in connection.subscriptions):
        return
    connection.state = State.LIVE
    if connection.is_synced:  # a new snapshot in between, which says all there is to say
        return
    connection.is_synced = True
    connection.send(frames.synced({each.short: each.told_cursor for each in connection.subscriptions}))
