"""Database work of live connections: bounded pools of threads of their own, one hop for each piece of work.

`database_sync_to_async` shares one thread per process with everything else that is sync; a slow
page would stand before every frame. The pools are separate so that commands of contestants can
never stand before the hub's reading.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from django.db import connections

P = ParamSpec("P")
T = TypeVar("T")

DELIVERY_THREADS = 4
COMMAND_THREADS = 4

delivery = ThreadPoolExecutor(DELIVERY_THREADS, thread_name_prefix="fathom-delivery")
"""Reading the log, attaching, settling, the ledger: few, short, batched."""

commands = ThreadPoolExecutor(COMMAND_THREADS, thread_name_prefix="fathom-commands")
"""What contestants ask for, one at a time for each connection."""


async def run(pool: ThreadPoolExecutor, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """`work` in a thread of `pool`, with a database connection that is fit for use, and given back after it."""
    return await asyncio.get_running_loop().run_in_executor(pool, lambda: _with_connections(work, *args, **kwargs))


def _with_connections(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    _tidy()
    try:
        return work(*args, **kwargs)
    finally:
        _tidy()


def _tidy() -> None:
    """SQLite keeps this thread's connection; on PostgreSQL it goes back to the pool; a broken one is dropped."""
    for connection in connections.all(initialized_only=True):
        connection.close_if_unusable_or_obsolete()


def close_all() -> None:
    """Close the connections of all threads of both pools. For the end of the process, and of tests."""
    for pool, count in ((delivery, DELIVERY_THREADS), (commands, COMMAND_THREADS)):
        for future in [pool.submit(connections.close_all) for _ in range(count)]:
            future.result(timeout=5)
