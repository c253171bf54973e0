"""Database work of live connections: bounded pools of threads of their own, one hop for each piece of work.

`database_sync_to_async` shares one thread per process with everything else that is sync; a slow
page would stand before every frame. The pools are separate so that neither commands of contestants
nor a writer that waits for a lock can stand before the hub's reading.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from django.db import InterfaceError, OperationalError, connections

P = ParamSpec("P")
T = TypeVar("T")

AWAY = (OperationalError, InterfaceError)
"""The database is away, locked or full: the same work may succeed later. Of any other error it is the work's fault."""

reading = ThreadPoolExecutor(3, thread_name_prefix="fathom-reading")
"""The log, its tail, sessions, rights, snapshots: short, batched, never waiting for a writer."""

writing = ThreadPoolExecutor(3, thread_name_prefix="fathom-writing")
"""Settling, the ledger, taking over timers, what happens by the clock: batched."""

commands = ThreadPoolExecutor(4, thread_name_prefix="fathom-commands")
"""What contestants ask for, one at a time for each connection."""

readiness = ThreadPoolExecutor(1, thread_name_prefix="fathom-readiness")
"""Whether the database answers at all."""

POOLS = (reading, writing, commands, readiness)


async def run(pool: ThreadPoolExecutor, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """`work` in a thread of `pool`, with a database connection that is fit for use, and given back after it."""
    return await asyncio.wrap_future(submit(pool, work, *args, **kwargs))


def submit(pool: ThreadPoolExecutor, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
    """The same for whoever does not wait in an event loop, or not for as long as it takes."""
    return pool.submit(lambda: _with_connections(work, *args, **kwargs))


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
    """Close the connections of all threads of all pools, each of which has one. For tests, which drop the database."""
    for pool in POOLS:
        threads = len(pool._threads)
        barrier = threading.Barrier(max(threads, 1))
        for future in [pool.submit(_close_mine, barrier) for _ in range(threads)]:
            future.result(timeout=5)


def _close_mine(barrier: threading.Barrier) -> None:
    """No thread takes two of these: each waits until all have one."""
    barrier.wait(timeout=5)
    connections.close_all()
