"""Settling timer reports: the pure rule of `realtime.timer.lease`, applied to batches under the database's locks.

A reply goes out only after its credit is durable. A database that stalls cuts nobody off: reports
keep the moment at which they arrived and are settled later.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.db import transaction

from realtime import database
from realtime.batches import Batcher
from realtime.timer import rows as timer_rows
from realtime.timer.lease import Account, Interval, Outcome, Page, Report, Terms, settle
from realtime.timer.rows import Clock, Session

logger = logging.getLogger(__name__)

PERIOD_MS = 250
BATCH = 1000
RETRY_S = 1.0
CLOCK_TOLERANCE_MS = 1000.0
REMEMBERED_SESSIONS = 20_000


class Fenced(Exception):
    """Another connection has taken this document's timer stream over: nothing was written."""


@dataclass(frozen=True, slots=True)
class Pending:
    """A report as it arrived; `arrived_ms` on this process's monotonic clock."""

    session: Session
    client_seq: int
    foreground: bool
    foreground_ms: int
    arrived_ms: float


@dataclass(frozen=True, slots=True)
class Result:
    accumulated_ms: int
    as_of_ms: int
    is_counting: bool
    outcome: Outcome


class Settlement:
    """Batches of this process, one per 250 ms."""

    def __init__(self) -> None:
        self._batches = Batcher[Pending, Result](
            self._settle, pool=database.writing, max_items=BATCH, period_ms=PERIOD_MS
        )
        self._clock: Clock | None = None
        self._clock_steps = 0
        self._seen: OrderedDict[int, int] = OrderedDict()
        """Session → number of clock steps before its last report."""

    async def report(self, pending: Pending) -> Result:
        """The contestant's total once this report is durable. Raises Fenced."""
        while True:
            try:
                return await self._batches.submit(pending)
            except Fenced:
                raise
            except Exception as error:
                logger.warning("reports wait for the database: %s", error)
                await asyncio.sleep(RETRY_S)

    async def drain(self) -> None:
        await self._batches.drain()

    # --- In a thread, one batch at a time ----------------------------------------------------------

    def _settle(self, batch: Sequence[Pending]) -> list[Result | Exception]:
        with transaction.atomic():
            accounts = timer_rows.lock_accounts(each.session.participation_id for each in batch)
            pages = timer_rows.lock_pages((each.session.session_id, each.session.session_epoch) for each in batch)
            clock = self._read_clock()
            ledger = _Ledger(accounts, pages)
            results: dict[int, Result | Exception] = {}
            for index in sorted(range(len(batch)), key=lambda index: batch[index].arrived_ms):
                results[index] = ledger.apply(batch[index], clock, self._is_continuous(batch[index]))
            ledger.write()
        self._remember(batch)
        return [results[index] for index in range(len(batch))]

    def _read_clock(self) -> Clock:
        clock = timer_rows.read_clock()
        if self._clock is not None and clock.is_step_from(self._clock, CLOCK_TOLERANCE_MS):
            self._clock_steps += 1
            logger.error("the database's clock has stepped; one interval of each page is not counted")
        self._clock = clock
        return clock

    def _is_continuous(self, pending: Pending) -> bool:
        """Whether the clock stood firm since this page's previous report here."""
        return self._seen.get(pending.session.session_id, self._clock_steps) == self._clock_steps

    def _remember(self, batch: Sequence[Pending]) -> None:
        for pending in batch:
            self._seen[pending.session.session_id] = self._clock_steps
            self._seen.move_to_end(pending.session.session_id)
        while len(self._seen) > REMEMBERED_SESSIONS:
            self._seen.popitem(last=False)


class _Ledger:
    """The locked rows of one batch while reports are applied to them."""

    def __init__(self, accounts: dict[int, tuple[Account, Interval]], pages: dict[int, Page]) -> None:
        self._accounts = {key: account for key, (account, _) in accounts.items()}
        self._windows = {key: window for key, (_, window) in accounts.items()}
        self._pages = pages
        self._reported: dict[int, int] = {}

    def apply(self, pending: Pending, clock: Clock, is_continuous: bool) -> Result | Exception:
        session = pending.session
        page = self._pages.get(session.session_id)
        account = self._accounts.get(session.participation_id)
        if page is None or account is None:
            return Fenced()
        arrived_ms = clock.of(pending.arrived_ms)
        report = Report(pending.client_seq, arrived_ms, pending.foreground, pending.foreground_ms)
        window = self._windows[session.participation_id]
        terms = Terms(window, settings.FATHOM.timings.lease_ms, clock.database_ms, is_continuous)
        settled = settle(account, page, report, terms)
        self._accounts[session.participation_id] = settled.account
        self._pages[session.session_id] = settled.page
        self._reported[session.session_id] = session.session_epoch
        is_counting = pending.foreground and window[0] <= arrived_ms < window[1]
        return Result(settled.account.accumulated_ms, arrived_ms, is_counting, settled.outcome)

    def write(self) -> None:
        timer_rows.write_accounts(self._accounts)
        timer_rows.write_pages({key: (epoch, self._pages[key]) for key, epoch in self._reported.items()})
