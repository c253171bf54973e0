"""The tail: finds what no hint told. Every process looks, always; so a lost hint costs one period and nothing else.

SQLite: `PRAGMA data_version` says in microseconds whether another connection has committed; this is
also how the judge's process wakes this one. PostgreSQL: by transaction id, not by time or number. A
transaction that takes long has an old id and commits after newer ones, so each look starts at the
oldest id that was still running at the look before.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.db import connection

from realtime import database, metrics
from realtime.hub.hub import Hub

logger = logging.getLogger(__name__)

SAFE_PERIOD_S = 1.0
"""On SQLite the heads are looked at this often even if nothing seems to have changed."""


class Tail:
    def __init__(self, hub: Hub, period_ms: int) -> None:
        self._hub = hub
        self._period_s = period_ms / 1000
        self._soon = asyncio.Event()
        self._since: int | None = None
        self._data_version = _DataVersion() if connection.vendor == "sqlite" else None
        self._last_read_s = float("-inf")

    def look_soon(self) -> None:
        """Look at once: hints may have been missed."""
        self._soon.set()

    async def run(self) -> None:
        while True:
            try:
                if self._may_have_changed():
                    await self._look()
            except Exception as error:
                logger.warning("the log's tail cannot be read, trying again: %s", error)
                await asyncio.sleep(1)
            await self._pause()

    async def _pause(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(self._period_s):
                await self._soon.wait()
        self._soon.clear()

    def _may_have_changed(self) -> bool:
        now_s = asyncio.get_running_loop().time()
        if self._data_version is None or self._data_version.has_changed() or now_s >= self._last_read_s + SAFE_PERIOD_S:
            self._last_read_s = now_s
            return True
        return False

    async def _look(self) -> None:
        changed, self._since = await database.run(database.reading, read_changed, self._since)
        feeds = self._hub.feeds
        found = self._hub.wake(
            key
            for key, epoch, head in changed
            if (feed := feeds.get(key)) is not None and (head != feed.level or epoch != feed.epoch)
        )
        metrics.tail_catches.inc(found)


Changed = list[tuple[str, str, int]]
"""(key, epoch, head) of topics."""


def read_changed(since: int | None) -> tuple[Changed, int]:
    """Topics appended to since the look that answered `since` (None: the first look), and where to look from next."""
    if connection.vendor == "postgresql":
        return _read_changed_postgresql(since)
    return _read_changed_sqlite(since)


def _read_changed_postgresql(since: int | None) -> tuple[Changed, int]:
    # One statement: the rows and the horizon for the next look come from the same snapshot.
    return _query(
        "WITH horizon AS (SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS oldest)"
        " SELECT horizon.oldest, topic.key, topic.epoch, topic.head"
        " FROM horizon LEFT JOIN realtime_topic topic ON topic.change >= COALESCE(%s, horizon.oldest)",
        since,
    )


def _read_changed_sqlite(since: int | None) -> tuple[Changed, int]:
    return _query(
        "WITH newest AS (SELECT COALESCE(MAX(change), 0) AS change FROM realtime_topic)"
        " SELECT newest.change, topic.key, topic.epoch, topic.head"
        " FROM newest LEFT JOIN realtime_topic topic ON topic.change > COALESCE(%s, newest.change)",
        since,
    )


def _query(sql: str, since: int | None) -> tuple[Changed, int]:
    """Its first column is where to look from next, on every row; without any topic one row stands for that alone."""
    with connection.cursor() as cursor:
        cursor.execute(sql, [since])
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return [(key, epoch, head) for _, key, epoch, head in rows if key is not None], rows[0][0]


class _DataVersion:
    """A connection of its own, for the loop's thread alone: a look takes some 5 µs and never waits for a lock."""

    def __init__(self) -> None:
        self._connection: sqlite3.Connection | None = None
        self._seen: int | None = None

    def has_changed(self) -> bool:
        """Whether another connection has committed since the last look. True when in doubt."""
        try:
            if self._connection is None:
                self._connection = _open(connection.settings_dict["NAME"])
            (version,) = self._connection.execute("PRAGMA data_version").fetchone()
        except sqlite3.Error:
            return True
        has_changed: bool = version != self._seen
        self._seen = version
        return has_changed


def _open(name: str | Path) -> sqlite3.Connection:
    name = str(name)
    return sqlite3.connect(name, uri=name.startswith("file:"), timeout=0, isolation_level=None)
