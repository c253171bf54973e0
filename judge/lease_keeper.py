"""While a program runs: keep the lease, pass on what came, and notice when to stop.

The jail asks `should_stop` every 50 ms, from the one thread that also holds the database connection: so
renewing needs no second thread, and a worker that hangs loses its lease as it must.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from contest.services.queue import LEASE_S, Claim, LeaseLost

FLUSH_EVERY_S = 0.1
"""Cases and output are written at most this often, all that came since in one write."""
ASK_EVERY_S = 0.2


class Stop(StrEnum):
    """Why work ended before its end."""

    SHUTDOWN = "shutdown"  # this judge is told to stop: the row is given back
    LEASE_LOST = "lease-lost"  # another worker holds the row: nothing more is written
    CANCELLED = "cancelled"  # the contestant wants no more of it


class Interrupted(Exception):
    def __init__(self, stop: Stop) -> None:
        super().__init__(stop.value)
        self.stop = stop


@dataclass(slots=True)
class LeaseKeeper:
    """One claim's companion. `flush` writes what is pending and answers nothing; `is_cancelled` asks the store."""

    claim: Claim[Any]
    is_stopping: Callable[[], bool]
    flush: Callable[[], None] | None = None
    is_cancelled: Callable[[], bool] | None = None
    lease_s: float = LEASE_S
    clock: Callable[[], float] = time.monotonic
    stop: Stop | None = None
    _renewed_at: float = field(init=False)
    # Nothing was written or asked yet: 0 would be a moment, the one in which the machine was started.
    _flushed_at: float = -math.inf
    _asked_at: float = -math.inf

    def __post_init__(self) -> None:
        self._renewed_at = self.clock()

    def should_stop(self) -> bool:
        """For the jail. Errors of the database pass through: the program is ended and nothing is lost but time."""
        if self.stop is None:
            try:
                self._look()
            except LeaseLost:
                self.stop = Stop.LEASE_LOST
        return self.stop is not None

    def check(self) -> None:
        """Raises Interrupted when there is a reason to stop."""
        self.should_stop()
        if self.stop is not None:
            raise Interrupted(self.stop)

    def renewed(self) -> None:
        """A write just renewed the lease on its way."""
        self._renewed_at = self.clock()

    def flushed(self) -> None:
        """All that was pending is written, and the lease renewed with it."""
        self._renewed_at = self._flushed_at = self.clock()

    def may_flush(self) -> bool:
        return self.clock() - self._flushed_at >= FLUSH_EVERY_S

    def _look(self) -> None:
        now = self.clock()
        if self.is_stopping():
            self.stop = Stop.SHUTDOWN
        elif self.is_cancelled is not None and now - self._asked_at >= ASK_EVERY_S:
            self._asked_at = now
            if self.is_cancelled():
                self.stop = Stop.CANCELLED
        if self.flush is not None and self.may_flush():
            self.flush()
        if now - self._renewed_at >= self.lease_s / 3:
            self.claim.renew(self.lease_s)
            self._renewed_at = now
