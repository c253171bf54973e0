"""Work on many items at once: while one batch is in the database, the next one gathers.

An idle batcher starts at once, a busy one shares a query and a transaction among all that arrived
meanwhile; so load makes batches larger instead of queues longer.

The threat: one item that the database refuses takes all those with it that happen to be in its batch. So a
batch that fails is cut in halves, until the fault is that item's alone.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

from realtime import database

logger = logging.getLogger(__name__)

Item = TypeVar("Item")
Result = TypeVar("Result")

Work = Callable[[Sequence[Item]], Sequence[Result | Exception]]
"""Runs in a thread; answers one result for each item, or the exception that is that item's alone. Where it raises,
it is done again, in smaller batches: that must do no harm."""


class Batcher(Generic[Item, Result]):
    """Batches of at most `max_items`, begun at least `period_ms` apart."""

    def __init__(
        self, work: Work[Item, Result], *, pool: ThreadPoolExecutor, max_items: int = 256, period_ms: int = 0
    ) -> None:
        self._work = work
        self._pool = pool
        self._max_items = max_items
        self._period_s = period_ms / 1000
        self._waiting: deque[tuple[Item, asyncio.Future[Result]]] = deque()
        self._runner: asyncio.Task[None] | None = None
        self._last_start = float("-inf")

    def submit(self, item: Item) -> asyncio.Future[Result]:
        """The result of `item`, once its batch has been worked off. Fails with what the work raised."""
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, future))
        if self._runner is None:
            self._runner = asyncio.get_running_loop().create_task(self._run())
        return future

    async def drain(self) -> None:
        """Wait until nothing is left to do."""
        while self._runner is not None:
            await asyncio.wait([self._runner])

    async def _run(self) -> None:
        try:
            while self._waiting:
                await self._wait_for_turn()
                count = min(len(self._waiting), self._max_items)
                await self._work_off([self._waiting.popleft() for _ in range(count)])
        finally:
            self._runner = None

    async def _wait_for_turn(self) -> None:
        """Also lets everything that arrived in this turn of the loop join the batch."""
        loop = asyncio.get_running_loop()
        await asyncio.sleep(max(0.0, self._last_start + self._period_s - loop.time()))
        self._last_start = loop.time()

    async def _work_off(self, batch: list[tuple[Item, asyncio.Future[Result]]]) -> None:
        results = await self._results([item for item, _ in batch])
        for (_, future), result in zip(batch, results, strict=True):
            if future.done():
                continue
            if isinstance(result, Exception):
                future.set_exception(result)
            else:
                future.set_result(result)

    async def _results(self, items: Sequence[Item]) -> Sequence[Result | Exception]:
        try:
            return await database.run(self._pool, self._work, items)
        except database.AWAY as error:
            return [error] * len(items)
        except Exception as error:
            if len(items) == 1:
                return [error]
            logger.warning("a batch of %s cannot be worked off, trying each half of it: %s", len(items), error)
            half = len(items) // 2
            return [*await self._results(items[:half]), *await self._results(items[half:])]
