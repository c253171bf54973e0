"""The hub: turns hints into one read of the log and one encoding of each event for all connections.

Everything here runs in the event loop's thread; only the reads themselves do not. A feed's level
moves in one step together with handing out the events up to it, so a connection is at any moment
either level or found to be behind. Hints for one topic that come while it is being read are merged.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

from django.utils import timezone

from realtime import database, metrics
from realtime.hub.connection import Connection, Subscription
from realtime.hub.feeds import Feed, Listener
from realtime.log.reading import Entry, Head, Page, Want, read_heads, read_pages
from realtime.wire.protocol import CloseCode

logger = logging.getLogger(__name__)

MERGE_S = 0.005
"""Topics woken within this time are read together."""
PAGE = 200
"""Events of one topic in one read; more follow in the next."""
TURN = 512
"""Connections served before the loop may accept and receive again."""
RETRY_S = 0.5
"""Wait after a read that failed; what was woken stays woken."""


class Hub:
    """`on_behind` takes a connection that must be served from the log, `on_reset` one whose log is another now."""

    def __init__(self, on_behind: Callable[[Connection], None], on_reset: Callable[[Connection], None]) -> None:
        self._on_behind = on_behind
        self._on_reset = on_reset
        self.feeds: dict[str, Feed] = {}
        self._woken: dict[str, None] = {}
        self._wake = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._hinted: set[str] = set()
        self._hinted_lock = threading.Lock()

    # --- Who follows what -------------------------------------------------------------------------

    def subscribe(self, connection: Connection, key: str, short: str, head: Head, position: int) -> Subscription:
        """Follow topic `key` from `position` on; `head` was read by the caller, and `position` is not past it."""
        feed = self._feed(key, head)
        subscription = Subscription(connection, feed, short, position, target=head.seq)
        feed.subscriptions[subscription] = None
        connection.subscriptions.append(subscription)
        if feed.epoch != head.epoch:
            # Either the caller or this process read before the log became another: which of them, a new look tells.
            self._loop.call_soon(self._on_reset, connection)
        return subscription

    def unsubscribe(self, connection: Connection) -> None:
        for subscription in connection.subscriptions:
            subscription.feed.subscriptions.pop(subscription, None)
            self._drop_unused(subscription.feed)
        connection.subscriptions = []

    def listen(self, key: str, head: Head, listener: Listener) -> None:
        self._feed(key, head).listeners.append(listener)

    def unlisten(self, key: str, listener: Listener) -> None:
        feed = self.feeds.get(key)
        if feed is not None:
            with suppress(ValueError):
                feed.listeners.remove(listener)
            self._drop_unused(feed)

    def _feed(self, key: str, head: Head) -> Feed:
        feed = self.feeds.get(key)
        if feed is None:
            feed = self.feeds[key] = Feed(key, head)
            # A hint that came between the caller's reading of the head and now found nobody here.
            self.wake((key,))
        elif head.seq > feed.level or head.epoch != feed.epoch:
            self.wake((key,))
        return feed

    def _drop_unused(self, feed: Feed) -> None:
        if not feed.is_used and self.feeds.get(feed.key) is feed:
            del self.feeds[feed.key]

    # --- Waking -----------------------------------------------------------------------------------

    def wake(self, keys: Iterable[str]) -> int:
        """Read these topics soon; those that nobody here follows are ignored. Answers how many are new."""
        followed = [key for key in keys if key in self.feeds]
        fresh = [key for key in followed if key not in self._woken]
        metrics.merged.inc(len(followed) - len(fresh))
        self._woken.update(dict.fromkeys(fresh))
        if fresh:
            self._wake.set()
        return len(fresh)

    def wake_from_thread(self, key: str) -> None:
        """A hint, from any thread."""
        with self._hinted_lock:
            is_first = not self._hinted
            self._hinted.add(key)
        if is_first:
            with suppress(RuntimeError):  # the loop is closed: this process ends
                self._loop.call_soon_threadsafe(self._take_hinted)

    def _take_hinted(self) -> None:
        with self._hinted_lock:
            keys, self._hinted = self._hinted, set()
        self.wake(keys)

    # --- Reading and handing out ------------------------------------------------------------------

    async def run(self) -> None:
        while True:
            await self._wake.wait()
            await asyncio.sleep(MERGE_S)
            self._wake.clear()
            keys, self._woken = self._woken, {}
            feeds = [self.feeds[key] for key in sorted(keys, key=_rights_first) if key in self.feeds]
            wants = [Want(feed.key, feed.level, feed.level + PAGE) for feed in feeds]
            try:
                metrics.reads.inc()
                pages = await database.run(database.reading, read_pages, wants)
            except Exception as error:
                logger.warning("the log cannot be read, trying again: %s", error)
                self.wake(keys)
                await asyncio.sleep(RETRY_S)
                continue
            for feed, want, page in zip(feeds, wants, pages, strict=True):
                if self.feeds.get(feed.key) is feed:
                    await self._advance(feed, want.after, page)

    async def _advance(self, feed: Feed, after: int, page: Page) -> None:
        if not feed.continues_at(page.head, after):
            self._reset(feed, page.head)
        elif page.entries:
            feed.level = page.entries[-1].seq
            if page.head.seq > feed.level:
                self.wake((feed.key,))
            try:
                await self._hand_out(feed, after, page.entries)
            except Exception:
                logger.exception("events of %s could not be handed out; their readers read them from the log", feed.key)
                for subscription in tuple(feed.subscriptions):
                    self._on_behind(subscription.connection)

    async def _hand_out(self, feed: Feed, after: int, entries: Sequence[Entry]) -> None:
        _tell_listeners(feed, entries)
        batch = feed.encode(entries)
        metrics.encodes.labels(feed.short).inc(len(batch))
        metrics.latency.labels(feed.short).observe(max(0.0, (timezone.now() - entries[-1].appended_at).total_seconds()))
        for count, subscription in enumerate(tuple(feed.subscriptions), start=1):
            connection = subscription.connection
            if subscription not in feed.subscriptions:
                continue  # it left, or started again from a snapshot, while others had their turn
            if subscription.position != after or not connection.deliver(subscription, batch):
                self._on_behind(connection)
            if count % TURN == 0:
                await asyncio.sleep(0)

    def _reset(self, feed: Feed, head: Head) -> None:
        """The log of this topic is another one now: each of its readers starts again from a snapshot."""
        feed.epoch, feed.level = head.epoch, head.seq
        _tell_listeners(feed, ())
        for subscription in tuple(feed.subscriptions):
            try:
                self._on_reset(subscription.connection)
            except Exception:  # then it starts again by itself, from its next connection on
                logger.exception("a reader of %s could not start again from a snapshot", feed.key)
                subscription.connection.close(CloseCode.FAILURE)

    async def compare_with_heads(self, keys: Sequence[str]) -> int:
        """Look for lost hints: wake those of `keys` whose head has moved past what was read. Answers how many."""
        heads = await database.run(database.reading, read_heads, keys)
        return self.wake(
            key for key, head in heads.items() if (feed := self.feeds.get(key)) and head.cursor != feed.cursor
        )


def _tell_listeners(feed: Feed, entries: Sequence[Entry]) -> None:
    """One that fails takes nothing from the others, nor from the readers."""
    for listener in tuple(feed.listeners):
        try:
            listener(entries)
        except Exception:
            logger.exception("what listens to %s failed", feed.key)


def _rights_first(key: str) -> tuple[bool, str]:
    """What takes rights away is worked off before what they would have let through."""
    return (key != "rights", key)
