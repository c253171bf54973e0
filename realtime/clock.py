"""The two clocks of this process: monotonic for durations, wall for what is told to people."""

from __future__ import annotations

import time


def now_ms() -> float:
    """Milliseconds on the monotonic clock."""
    return time.monotonic() * 1000


def server_time() -> float:
    """Seconds since 1970, as in frames."""
    return time.time()
