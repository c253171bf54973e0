"""The delivery ledger's writes: gathered, one transaction for all of this process every 200 ms.

"Sent" is written when a notice was handed to a connection; "delivered" and "confirmed" are said by
clients and answered only once they are durable.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.db import transaction

from contest.models import Contest, User
from contest.services import receipts
from contest.services.errors import Refused
from realtime import database
from realtime.batches import Batcher
from realtime.log.append import append
from realtime.log.topics import of_jury

logger = logging.getLogger(__name__)

PERIOD_MS = 200
BATCH = 1000
SENT_RETRY_S = 2.0
TELL_PERIOD_S = 1.0
REMEMBERED = 50_000
"""Sent rows remembered, so that twelve tabs of one person cost one row."""

Pairs = Sequence[tuple[int, int]]
Service = Callable[[Contest, User, Pairs], list[tuple[int, int]]]
Row = tuple[int, int, int]
"""(notice id, version, user id)."""


@dataclass(frozen=True, slots=True)
class Receipt:
    service: Service
    contest: Contest
    user: User
    pairs: Pairs


class Ledger:
    def __init__(self) -> None:
        self._receipts = Batcher[Receipt, list[tuple[int, int]]](
            write_receipts, pool=database.writing, max_items=BATCH, period_ms=PERIOD_MS
        )
        self._sent = Batcher[Row, None](write_sent, pool=database.writing, max_items=BATCH, period_ms=PERIOD_MS)
        self._known: dict[Row, None] = {}
        self._changed: dict[int, set[int]] = defaultdict(set)
        """Contest → notices whose receipts changed since staff were last told."""

    async def run(self) -> None:
        """Tell staff which notices' receipts have changed, at most once a second for each contest."""
        while True:
            await asyncio.sleep(TELL_PERIOD_S)
            changed, self._changed = self._changed, defaultdict(set)
            if changed:
                try:
                    await database.run(database.writing, tell_changed, changed)
                except Exception as error:  # their pages look again by themselves
                    logger.warning("staff could not be told of receipts: %s", error)

    def sent(self, contest: Contest, user_id: int, pairs: Pairs) -> None:
        """These versions were written to a connection of `user_id`."""
        for notice_id, version in pairs:
            row = (notice_id, version, user_id)
            if row not in self._known:
                self._remember(row)
                self._write_sent(contest.pk, row)

    async def receive(self, service: Service, contest: Contest, user: User, pairs: Pairs) -> list[tuple[int, int]]:
        """What `service` answers, once it is durable. Raises Refused."""
        fresh = await self._receipts.submit(Receipt(service, contest, user, pairs))
        if fresh:
            self._changed[contest.pk].update(notice_id for notice_id, _ in fresh)
        return fresh

    async def drain(self) -> None:
        await self._receipts.drain()
        await self._sent.drain()

    def _remember(self, row: Row) -> None:
        self._known[row] = None
        if len(self._known) > REMEMBERED:
            del self._known[next(iter(self._known))]

    def _write_sent(self, contest_id: int, row: Row) -> None:
        self._sent.submit(row).add_done_callback(lambda future: self._on_written(contest_id, row, future))

    def _on_written(self, contest_id: int, row: Row, future: asyncio.Future[None]) -> None:
        """What could not be written is written later: the database may be away for a while."""
        if future.cancelled():
            return
        if future.exception() is not None:
            asyncio.get_running_loop().call_later(SENT_RETRY_S, self._write_sent, contest_id, row)
        else:
            self._changed[contest_id].add(row[0])


def tell_changed(changed: dict[int, set[int]]) -> None:
    with transaction.atomic():
        for contest_id, notice_ids in changed.items():
            data = {"notices": sorted(notice_ids)}
            append(of_jury(contest_id), "ledger.changed", data)


def write_sent(rows: Sequence[Row]) -> list[None]:
    receipts.mark_sent(rows)
    return [None] * len(rows)


def write_receipts(receipts: Sequence[Receipt]) -> list[list[tuple[int, int]] | Exception]:
    """All of them in one transaction; one that is refused changes nothing of the others."""
    with transaction.atomic():
        return [_write(receipt) for receipt in receipts]


def _write(receipt: Receipt) -> list[tuple[int, int]] | Exception:
    try:
        with transaction.atomic():
            return receipt.service(receipt.contest, receipt.user, receipt.pairs)
    except Refused as refused:
        return refused
