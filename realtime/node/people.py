"""Whose connections are open here, and what happens to them when somebody's rights change.

Follows the topic `rights` and the contests that have connections here. Until it is known what a
change means for a connection, nothing is told to it.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from realtime import database
from realtime.batches import Batcher
from realtime.entry.admitting import TurnedAway
from realtime.entry.attach import Rechecked, Request, recheck_all
from realtime.hub.feeds import Listener
from realtime.log.reading import Entry, Head, read_heads
from realtime.log.topics import RIGHTS, of_contest, opened_by_end
from realtime.node.member import Member
from realtime.wire.protocol import CloseCode, RetryCode

if TYPE_CHECKING:
    from realtime.node.node import Node

logger = logging.getLogger(__name__)

SESSIONS_PERIOD_S = 60.0
"""How often sessions that run out by time are looked for; everything else is told by events."""
RETRY_S = 1.0
TOO_MANY_RETRY_MS = 30_000


class People:
    """`user_connections`: at once, of one person. Twelve tabs with all five streams are 60. One more closes the one
    that is silent for longest, so that zombies of a lost network cannot lock a contestant out."""

    def __init__(self, node: Node, user_connections: int) -> None:
        self._node = node
        self.user_connections = user_connections
        self._by_user: dict[int, dict[Member, None]] = defaultdict(dict)
        self._by_contest: dict[int, dict[Member, None]] = defaultdict(dict)
        self._by_document: dict[tuple[Any, ...], Member] = {}
        self._listeners: dict[int, Listener] = {}
        self._rechecks = Batcher[Request, Rechecked](recheck_all, pool=database.reading, max_items=128)

    # --- Who is here ------------------------------------------------------------------------------

    def add(self, consumer: Member) -> None:
        """Its user is known. One connection too many closes that user's longest silent one."""
        assert consumer.visitor is not None
        own = self._by_user[consumer.visitor.user_id]
        own[consumer] = None
        if len(own) > self.user_connections:
            silent = min((each for each in own if each is not consumer), key=lambda each: each.connection.heard_ms)
            message = f"More than {self.user_connections} live connections of one person."
            silent.connection.refuse(RetryCode.TOO_MANY, message, TOO_MANY_RETRY_MS, CloseCode.TOO_MANY)

    def settle(self, consumer: Member) -> None:
        """It is attached to a contest; a connection of the same document and stream before it is superseded."""
        assert consumer.attached is not None
        older = self._by_document.get(consumer.document)
        self._by_document[consumer.document] = consumer
        if older is not None and older is not consumer:
            older.connection.close(CloseCode.SUPERSEDED)
        contest_id = consumer.attached.admission.contest.pk
        self._by_contest[contest_id][consumer] = None
        if contest_id not in self._listeners:
            self._listen(contest_id, consumer.attached.contest_head)
        elif self._node.hub.feeds[of_contest(contest_id)].cursor != consumer.attached.contest_head.cursor:
            consumer.must_recheck = True  # the contest may have changed since its rights were read

    def _listen(self, contest_id: int, head: Head) -> None:
        listener = self._listeners[contest_id] = partial(self._on_contest, contest_id)
        self._node.hub.listen(of_contest(contest_id), head, listener)

    def discard(self, consumer: Member) -> None:
        if consumer.visitor is not None:
            _remove(self._by_user, consumer.visitor.user_id, consumer)
        if consumer.attached is not None:
            if self._by_document.get(consumer.document) is consumer:
                del self._by_document[consumer.document]
            contest_id = consumer.attached.admission.contest.pk
            if _remove(self._by_contest, contest_id, consumer):
                self._node.hub.unlisten(of_contest(contest_id), self._listeners.pop(contest_id))

    def of_user(self, user_id: int) -> list[Member]:
        return list(self._by_user.get(user_id, ()))

    def of_document(self, document: tuple[Any, ...]) -> Member | None:
        """The connection of this stream of this document, if it is here."""
        return self._by_document.get(document)

    # --- Changes ----------------------------------------------------------------------------------

    async def run(self) -> None:
        """Follow `rights` for ever; once a minute look for sessions that have run out."""
        await self._follow_rights()
        while True:
            await asyncio.sleep(SESSIONS_PERIOD_S)
            expired = [each for each in self._node.consumers.values() if each.has_expired()]
            self.recheck(expired, suspend=True)

    async def _follow_rights(self) -> None:
        while True:
            try:
                heads = await database.run(database.reading, read_heads, [RIGHTS])
            except Exception as error:
                logger.warning("the rights cannot be followed yet: %s", error)
                await asyncio.sleep(1)
            else:
                self._node.hub.unlisten(RIGHTS, self._on_rights)  # this loop may have failed and begun again
                self._node.hub.listen(RIGHTS, heads[RIGHTS], self._on_rights)
                # Whoever was let in before this moment was checked before it, too.
                self.recheck(self._node.consumers.values(), suspend=True)
                return

    def _on_rights(self, entries: Sequence[Entry]) -> None:
        for consumer in self._node.consumers.values():
            # Its session may have been read before this change, and be known here only after it.
            consumer.must_recheck |= consumer.visitor is None
        if not entries:  # another log: what it would have told is unknown
            self.recheck(self._node.consumers.values(), suspend=True)
        for entry in entries:
            self.recheck(self._concerned(json.loads(entry.data)), suspend=True)

    def _concerned(self, change: dict[str, Any]) -> list[Member]:
        if "session" in change:
            return [each for each in self._node.consumers.values() if each.session_digest == change["session"]]
        everybody = list(self._node.consumers.values())
        concerned = everybody if change["user"] is None else self.of_user(change["user"])
        # Of whoever is being attached it is not known yet to which contest, and what was read may be older.
        return [each for each in concerned if each.contest_id is None or change["contest"] in (None, each.contest_id)]

    def _on_contest(self, contest_id: int, entries: Sequence[Entry]) -> None:
        """A new phase may open records to more people, or end the streams. It takes from people what only the end had
        opened, where the contest goes on after it: by a later end, other times, or extra time of one contestant. Those
        are told nothing until it is known; nobody else waits, or a start would be late for all."""
        if entries and all(entry.name != "contest.changed" for entry in entries):
            return
        for consumer in list(self._by_contest.get(contest_id, ())):
            self.recheck([consumer], suspend=_reads_what_the_end_opens(consumer))

    def recheck(self, consumers: Iterable[Member], *, suspend: bool) -> None:
        """Find out whether they may still follow what they follow; with `suspend` they are told nothing before."""
        for consumer in list(consumers):
            if consumer.is_attaching:
                consumer.must_recheck = True
                continue
            if suspend:
                consumer.connection.suspend()
            consumer.rechecks += 1
            self._submit(consumer)

    def _submit(self, consumer: Member) -> None:
        future = self._rechecks.submit(consumer.request(None))
        future.add_done_callback(partial(self._on_rechecked, consumer))

    def _on_rechecked(self, consumer: Member, future: asyncio.Future[Rechecked]) -> None:
        error = None if future.cancelled() else future.exception()
        if future.cancelled() or not consumer.connection.is_open:
            return
        if isinstance(error, database.AWAY):
            # The database is away. Whoever is suspended stays so: nobody is cut off, and nothing leaks out.
            logger.warning("rights could not be read, trying again: %s", error)
            self._node.loop.call_later(RETRY_S, self._submit, consumer)
            return
        consumer.rechecks -= 1
        if isinstance(error, TurnedAway):
            consumer.turn_away(error)
        elif error is not None:
            logger.error("rights of one connection cannot be read: %s", error, exc_info=error)
            consumer.connection.close(CloseCode.FAILURE)
        else:
            consumer.on_rechecked(future.result())


def _reads_what_the_end_opens(consumer: Member) -> bool:
    return consumer.attached is not None and opened_by_end(consumer.attached.admission.topics)


def _remove(index: dict[int, dict[Member, None]], key: int, consumer: Member) -> bool:
    """Whether the last one under `key` is gone."""
    entry = index.get(key)
    if entry is None:
        return False
    entry.pop(consumer, None)
    if not entry:
        del index[key]
    return not entry
