"""This node says that it lives, and notes when the site could not do its work: rows that outlive it.

A node that dies leaves its last beat; one that stood still, or could not reach the database, notes that
itself when it is back. Nothing here decides anything; `realtime.timer.outages` reads it afterwards.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from django.db import transaction

from contest.models import Record
from contest.models.queue import QueueClass
from contest.rules.phases import milliseconds
from contest.services.queue import somebody_judges, waiting
from realtime import database, runs
from realtime.clock import now_ms
from realtime.models import Outage
from realtime.timer.clock import WatchedClock
from realtime.timer.outages import Kind

logger = logging.getLogger(__name__)

RETRY_S = 1.0
SILENT_MS = 15_000.0
"""More than this between two beats: the node stood still, or the database was away."""
WAITED_MS = 30_000
"""A submission that waits for so long while nobody judges anything: no judge works."""
SAME_MS = 20_000
"""Noted again so soon, it is the same outage that goes on."""


class Beats:
    def __init__(self, node: str, clock: WatchedClock | None = None) -> None:
        self._node = node[:120]
        self.run_id: int | None = None
        """The row of this run, from its first beat on."""
        self._clock = clock or WatchedClock()
        self._beat: tuple[int, float] | None = None
        """The last one: by the database's clock, and by this process's."""
        self._stood_still_ms = 0.0

    async def run(self) -> None:
        """Beat for ever."""
        while True:
            wait_s = runs.BEAT_MS / 1000 if await self._try(self.beat) else RETRY_S
            due_ms = now_ms() + wait_s * 1000
            await asyncio.sleep(wait_s)
            self._stood_still_ms = max(self._stood_still_ms, now_ms() - due_ms)

    async def stop(self) -> None:
        """This node takes nobody any more, as planned."""
        await self._try(self._stop)

    async def _try(self, work: Callable[[], None]) -> bool:
        try:
            await database.run(database.writing, work)
        except Exception as error:
            logger.warning("this node cannot say that it lives: %s", error)
            return False
        return True

    # --- In a thread ------------------------------------------------------------------------------

    def beat(self) -> None:
        begun_ms = now_ms()
        with transaction.atomic():
            clock = self._clock.read()
            run = runs.beat(self.run_id, self._node, clock.database_ms)
            self._note_silence(clock.database_ms, begun_ms)
            note_judge_outage(clock.database_ms)
        self._clock.keep(clock)
        self.run_id = run
        self._beat, self._stood_still_ms = (clock.database_ms, now_ms()), 0.0

    def _note_silence(self, beat_ms: int, begun_ms: float) -> None:
        if self._beat is None or now_ms() - self._beat[1] <= SILENT_MS:
            return
        stood_still = self._stood_still_ms > (begun_ms - self._beat[1]) / 2
        kind = Kind.STALL if stood_still else Kind.DATABASE
        # Of this node alone: it may be only this one that lost the database, and the others note their own.
        Outage.objects.create(kind=kind.value, node=self._node, starts_ms=self._beat[0], ends_ms=beat_ms)

    def _stop(self) -> None:
        if self.run_id is not None:
            with transaction.atomic():  # a step of the clock that is seen now is an event of the log
                runs.stop(self.run_id, self._clock.read().database_ms)


def note_judge_outage(now_db_ms: int) -> None:
    """Note, or go on noting, that live submissions wait and nobody judges anything."""
    oldest = waiting(Record.objects.filter(queue_class=QueueClass.LIVE)).first()
    if oldest is None or now_db_ms - milliseconds(oldest.queued_at) < WAITED_MS or somebody_judges():
        return
    lately = Outage.objects.filter(kind=Kind.JUDGE.value, ends_ms__gte=now_db_ms - SAME_MS)
    if not lately.update(ends_ms=now_db_ms):
        starts_ms = milliseconds(oldest.queued_at)
        Outage.objects.create(kind=Kind.JUDGE.value, starts_ms=starts_ms, ends_ms=now_db_ms)
