"""Settling timer reports: the pure rule of `realtime.timer.lease`, applied to batches under the database's locks.

A reply goes out only after its credit is durable. A database that stalls cuts nobody off: reports
keep the moment at which they arrived and are settled later.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.db import transaction

from contest.rules.own_time import Stretch
from realtime import database, metrics
from realtime.batches import Batcher
from realtime.clock import now_ms
from realtime.timer import rows as timer_rows
from realtime.timer.absences import Absence, Last, absence_before, lengthen
from realtime.timer.clock import Clock, WatchedClock
from realtime.timer.lease import Outcome, Page, Report, Settled, Terms, settle
from realtime.timer.rows import Holding, Session

logger = logging.getLogger(__name__)

PERIOD_MS = 250
BATCH = 1000
RETRY_S = 1.0


class Fenced(Exception):
    """Another connection has taken this document's timer stream over: nothing was written."""


@dataclass(frozen=True, slots=True)
class Pending:
    """A report as it arrived; `arrived_ms` on this process's monotonic clock. `cause` is why the connection was
    made, as its hello said, with the first report on it; empty afterwards."""

    session: Session
    client_seq: int
    foreground: bool
    foreground_ms: int
    arrived_ms: float
    cause: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    accumulated_ms: int
    as_of_ms: int
    is_counting: bool
    outcome: Outcome


class Settlement:
    """Batches of this process, one per 250 ms."""

    def __init__(self, clock: WatchedClock | None = None) -> None:
        self._batches = Batcher[Pending, Result](
            self._settle, pool=database.writing, max_items=BATCH, period_ms=PERIOD_MS
        )
        self._clock = clock or WatchedClock()

    async def report(self, pending: Pending) -> Result:
        """The contestant's total once this report is durable. Raises Fenced, or what is wrong with this report."""
        while True:
            try:
                return await self._batches.submit(pending)
            except database.AWAY as error:
                logger.warning("reports wait for the database: %s", error)
                await asyncio.sleep(RETRY_S)

    async def drain(self) -> None:
        await self._batches.drain()

    # --- In a thread, one batch at a time ----------------------------------------------------------

    def _settle(self, batch: Sequence[Pending]) -> list[Result | Exception]:
        with transaction.atomic():
            holdings = timer_rows.lock_accounts(each.session.participation_id for each in batch)
            pages = timer_rows.lock_pages(each.session.session_id for each in batch)
            clock = self._clock.read()
            ledger = _Ledger(holdings, pages, clock)
            results: dict[int, Result | Exception] = {}
            for index in sorted(range(len(batch)), key=lambda index: batch[index].arrived_ms):
                results[index] = ledger.apply(batch[index])
            ledger.write()
        self._clock.keep(clock)
        _count(batch, results)
        return [results[index] for index in range(len(batch))]


def _count(batch: Sequence[Pending], results: dict[int, Result | Exception]) -> None:
    now = now_ms()
    for index, result in results.items():
        if isinstance(result, Result):
            metrics.reports.labels(result.outcome.value).inc()
            metrics.report_hold.observe(max(0.0, now - batch[index].arrived_ms) / 1000)
        else:
            metrics.fenced.inc()


class _Ledger:
    """The locked rows of one batch while reports are applied to them."""

    def __init__(self, holdings: dict[int, Holding], pages: dict[int, tuple[int, Page]], clock: Clock) -> None:
        self._holdings = holdings
        self._pages = pages
        self._clock = clock
        self._reported: set[int] = set()
        self._stretches: list[tuple[int, Stretch]] = []
        self._absences: list[tuple[int, Absence]] = []

    def apply(self, pending: Pending) -> Result | Exception:
        session = pending.session
        epoch, page = self._pages.get(session.session_id, (0, Page()))
        holding = self._holdings.get(session.participation_id)
        if epoch != session.session_epoch or holding is None:
            return Fenced()
        arrived_ms = self._clock.of(pending.arrived_ms)
        report = Report(pending.client_seq, arrived_ms, pending.foreground, pending.foreground_ms)
        terms = Terms(holding.windows, settings.FATHOM.timings.lease_ms, self._clock.database_ms, self._clock.steps)
        settled = settle(holding.account, page, report, terms)
        if settled.outcome is not Outcome.REPEATED:
            self._note(session, pending, page, report, settled)
        is_counting = pending.foreground and any(start <= arrived_ms < end for start, end in holding.windows)
        return Result(settled.account.accumulated_ms, arrived_ms, is_counting, settled.outcome)

    def _note(self, session: Session, pending: Pending, page: Page, report: Report, settled: Settled) -> None:
        key = session.participation_id
        holding = self._holdings[key]
        stretch, complete = lengthen(holding.stretch, settled.finished)
        absence = absence_before(holding.last, page, report, settled.outcome, pending.cause)
        last = Last(report.arrived_ms, report.foreground, settings.FATHOM.node_id[:120])
        self._holdings[key] = Holding(settled.account, holding.windows, stretch, last)
        self._pages[session.session_id] = (session.session_epoch, settled.page)
        self._reported.add(session.session_id)
        self._stretches += [(key, each) for each in complete]
        self._absences += [(key, absence)] if absence else []

    def write(self) -> None:
        """All that changed; a batch of repetitions writes nothing."""
        changed = {key: self._pages[key] for key in self._reported}
        if changed:
            timer_rows.write_accounts(self._holdings)
            timer_rows.write_pages(changed)
            timer_rows.write_history(self._stretches, self._absences)
