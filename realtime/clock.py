"""The two clocks of this process, monotonic for durations and wall for what is told to people; and the database's."""

from __future__ import annotations

import time

from django.db import connection

_EPOCH_MS = {
    "postgresql": "(extract(epoch FROM clock_timestamp()) * 1000)::bigint",
    "sqlite": "CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER)",
}


def now_ms() -> float:
    """Milliseconds on the monotonic clock."""
    return time.monotonic() * 1000


def server_time() -> float:
    """Seconds since 1970, as in frames."""
    return time.time()


def database_ms() -> str:
    """SQL for milliseconds since 1970 at this very moment, also inside a transaction."""
    return _EPOCH_MS[connection.vendor]
