"""The delivery ledger's writes: gathered, one transaction and one statement for this process every 200 ms.

"Sent" is said by the server when a notice was handed to a connection; "delivered" and "confirmed" are
said by clients and answered only once they are durable.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Any

from contest.models import Contest, User
from contest.services.errors import Refused
from contest.services.receipts import PAIRS_LIMIT, Pair, Report, Row, Step, Taken, take_reports
from realtime import database, metrics
from realtime.batches import Batcher
from realtime.clock import now_ms
from realtime.log.jury import JuryNews

logger = logging.getLogger(__name__)

PERIOD_MS = 200
BATCH = 4_000
"""Reports in one transaction. Each confirmation is an event for its person, of which SQLite takes 4,681 a statement."""
SENT_RETRY_S = 2.0
REMEMBERED = 50_000
"""Sent rows remembered, so that twelve tabs of one person cost one row."""


class Ledger:
    def __init__(self) -> None:
        self._reports = Batcher[Report, Taken](_write, pool=database.writing, max_items=BATCH, period_ms=PERIOD_MS)
        self._known: dict[Row, None] = {}
        self.news = JuryNews("ledger.changed", _changed_notices)
        """Which notices' receipts have changed."""

    def sent(self, contest: Contest, user: User, pairs: Sequence[Pair]) -> None:
        """These versions were written to a connection of `user`."""
        fresh = [pair for pair in pairs if (*pair, user.pk) not in self._known]
        for pair in fresh:
            self._remember((*pair, user.pk))
        for start in range(0, len(fresh), PAIRS_LIMIT):
            self._write_sent(Report(Step.SENT, contest, user, fresh[start : start + PAIRS_LIMIT]))

    async def receive(self, step: Step, contest: Contest, user: User, pairs: Sequence[Pair]) -> list[Pair]:
        """`user` says that these versions have taken `step`: those of which the ledger says so, once it is durable.

        Others' notices and unknown versions are not among them. Raises Refused.
        """
        report = Report(step, contest, user, pairs)
        taken = await self._submit(report)
        self._note(report, taken.news)
        return taken.held

    async def drain(self) -> None:
        await self._reports.drain()

    def _submit(self, report: Report) -> asyncio.Future[Taken]:
        began_ms = now_ms()
        future = self._reports.submit(report)
        future.add_done_callback(lambda _: metrics.ledger_lag.observe((now_ms() - began_ms) / 1000))
        return future

    def _note(self, report: Report, fresh: Sequence[Pair]) -> None:
        if fresh:
            self.news.add(report.contest.pk, [notice_id for notice_id, _ in fresh])

    def _remember(self, row: Row) -> None:
        self._known[row] = None
        if len(self._known) > REMEMBERED:
            del self._known[next(iter(self._known))]

    def _write_sent(self, report: Report) -> None:
        self._submit(report).add_done_callback(lambda future: self._on_written(report, future))

    def _on_written(self, report: Report, future: asyncio.Future[Taken]) -> None:
        """What could not be written is written later: the database may be away for a while."""
        error = None if future.cancelled() else future.exception()
        if future.cancelled() or isinstance(error, Refused):  # it was withdrawn, or the right is gone
            return
        if isinstance(error, database.AWAY):
            asyncio.get_running_loop().call_later(SENT_RETRY_S, self._write_sent, report)
        elif error is not None:
            logger.error("that notices were sent cannot be noted: %s", error, exc_info=error)
        else:
            self._note(report, future.result().news)


def _write(reports: Sequence[Report]) -> Sequence[Taken | Exception]:
    return take_reports(reports)


def _changed_notices(contest_id: int, notice_ids: set[int]) -> dict[str, Any]:
    return {"notices": sorted(notice_ids)}
