"""The loops of a node. None ends by itself; one that fails all the same is begun again after a pause.

A node whose heartbeat or delivery stands still looks well from outside. So until such a loop has run for
a while again, the node says which one has failed and does not call itself ready.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from realtime import metrics

logger = logging.getLogger(__name__)

RESTART_S = 1.0
STEADY_S = 10.0
"""A loop that has run for so long after a failure is well again."""

Work = Callable[[], Awaitable[None]]


class Loops:
    def __init__(self) -> None:
        self._tasks: list[asyncio.Task[None]] = []
        self._failed: dict[str, None] = {}

    def start(self, name: str, work: Work) -> None:
        """Run `work` for ever. `name` says in the log and to load balancers which loop it is."""
        self._tasks.append(asyncio.get_running_loop().create_task(self._forever(name, work)))

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def failed(self) -> tuple[str, ...]:
        """Those that have failed and not run for a while since. From any thread."""
        return tuple(self._failed)

    async def _forever(self, name: str, work: Work) -> None:
        loop = asyncio.get_running_loop()
        while True:
            steady = loop.call_later(STEADY_S, self._on_steady, name)
            try:
                await work()
                logger.error("the loop %r of this node has ended; it is begun again", name)
            except Exception:
                logger.exception("the loop %r of this node failed; it is begun again", name)
            finally:
                steady.cancel()
            self._failed[name] = None
            metrics.loop_failures.labels(name).inc()
            metrics.loops_failed.set(len(self._failed))
            await asyncio.sleep(RESTART_S)

    def _on_steady(self, name: str) -> None:
        self._failed.pop(name, None)
        metrics.loops_failed.set(len(self._failed))
