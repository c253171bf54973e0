"""What a server spends on a piece of work."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

IDLE_SHARE = 0.05
LOOK_S = 0.2


class Meter:
    """Processor time of one process since the last `reset`, and the generator's own."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._clock = (~pid << 3) | 2
        """Linux names the processor clock of a process by its inverted id, shifted by three, plus 2."""
        self.reset()

    def reset(self) -> None:
        self._began_ns = time.monotonic_ns()
        self._server_ns = time.clock_gettime_ns(self._clock)
        self._own_ns = time.process_time_ns()
        self._waited_ns = _waited_ns(self._pid)

    @property
    def server_s(self) -> float:
        """Of all threads of the server."""
        return (time.clock_gettime_ns(self._clock) - self._server_ns) / 1e9

    @property
    def server_share(self) -> float:
        """Of one core."""
        return self.server_s * 1e9 / max(1, time.monotonic_ns() - self._began_ns)

    @property
    def own_share(self) -> float:
        """Of one core; near 1 the generator is what was measured."""
        return (time.process_time_ns() - self._own_ns) / max(1, time.monotonic_ns() - self._began_ns)

    @property
    def waited_share(self) -> float:
        """Of the time: how long the server's threads could run and were not let, because others were running.
        They wait for each other, too; with an idle server near 0 and this high the machine was shared."""
        return (_waited_ns(self._pid) - self._waited_ns) / max(1, time.monotonic_ns() - self._began_ns)

    def wait_until_idle(self, run_for: Callable[[float], None], within_s: float = 10.0) -> None:
        """`run_for` lets time pass. Work that follows the last delivery belongs to it."""
        deadline = time.monotonic() + within_s
        while time.monotonic() < deadline:
            before_ns = time.clock_gettime_ns(self._clock)
            run_for(LOOK_S)
            if time.clock_gettime_ns(self._clock) - before_ns < IDLE_SHARE * LOOK_S * 1e9:
                return


def _waited_ns(pid: int) -> int:
    """Of all threads that live now: the second figure of the kernel's `schedstat`; 0 where it keeps none."""
    total = 0
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError, IndexError, ValueError):
                total += int(Path(f"/proc/{pid}/task/{thread}/schedstat").read_text().split()[1])
    return total
