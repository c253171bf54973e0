"""Waking idle slots the moment something may be waiting. A hint only: slots look every second anyway.

On SQLite the number that grows with every commit of anybody is polled; on PostgreSQL whoever queues
something notifies, in the same transaction, so that the notification comes with the commit or not at all.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from django.db import connection

from contest.events import Event, RecordReopened, RecordSubmitted, RunQueued

CHANNEL = "fathom_judge"
_POLL_S = 0.02
_ROUND_S = 1.0


def notify_judges(event: Event) -> None:
    """Subscriber of the contest's events, called inside the transaction of the change."""
    if isinstance(event, RecordSubmitted | RunQueued | RecordReopened) and connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_notify(%s, '')", [CHANNEL])


def _data_versions() -> Iterator[bool]:
    """True whenever somebody committed since the last look; False once a second otherwise."""
    last, said_at = None, time.monotonic()
    with connection.cursor() as cursor:
        while True:
            version = cursor.execute("PRAGMA data_version").fetchone()[0]
            if version != last or time.monotonic() - said_at >= _ROUND_S:
                yield version != last
                last, said_at = version, time.monotonic()
            time.sleep(_POLL_S)


def _notifications() -> Iterator[bool]:
    with connection.cursor() as cursor:
        cursor.execute(f"LISTEN {CHANNEL}")
    while True:
        raw = connection.connection
        yield any(True for _ in raw.notifies(timeout=_ROUND_S, stop_after=1))


def hints() -> Iterator[bool]:
    """Endless; an item at least every second, True if there may be something new. Raises database errors."""
    return _notifications() if connection.vendor == "postgresql" else _data_versions()


def watch(wake: Callable[[], None], each_round: Callable[[], None], is_stopping: Callable[[], bool]) -> None:
    """Calls `wake` for every hint and `each_round` at least every second, until stopping."""
    for hint in hints():
        if is_stopping():
            return
        if hint:
            wake()
        each_round()
