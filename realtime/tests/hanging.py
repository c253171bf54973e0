"""A database that hangs: it is there and does not answer, as a whole or for those who want one lock."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg

from tools.services import PostgreSQL

OWN_PROCESSES = 6
"""Of PostgreSQL 15 without a connection: the one that was started, and its five helpers."""


@contextmanager
def locked_sqlite(database: str | Path) -> Iterator[None]:
    """Somebody else holds the writer's lock."""
    connection = sqlite3.connect(database, uri=True, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")
        connection.close()


@contextmanager
def locked_postgresql(settings: dict[str, Any], table: str) -> Iterator[None]:
    """Somebody else holds `table`; only this database hangs, not the server, which other tests use, too."""
    with psycopg.connect(dbname=settings["NAME"], host=settings["HOST"], user=settings["USER"]) as connection:
        connection.execute(f'LOCK TABLE "{table}" IN ACCESS EXCLUSIVE MODE')
        yield


@contextmanager
def stopped_postgresql(server: PostgreSQL) -> Iterator[None]:
    """Every process of the server stands still, those of its connections, too."""
    assert server.process is not None
    first = server.process.pid
    stopped = [first]
    try:
        os.kill(first, signal.SIGSTOP)  # now it starts no more
        for process in _children(first):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGSTOP)
                stopped.append(process)
        assert len(stopped) > OWN_PROCESSES, "the premise: the site has connections"
        yield
    finally:
        for process in reversed(stopped):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGCONT)


def _children(process: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
