"""A sign of life that a process gives without a word: a moment in memory that it shares with its parent.

Leases protect the queue from a worker that hangs, as long as there is another one to take its row. The
parent sees the hanging one itself, needs no database for it, and puts a fresh one in its place.
"""

from __future__ import annotations

import mmap
import struct
import time

_MOMENT = struct.Struct("d")


class Beat:
    """Made before the fork. The child calls `now`, at least every second while nothing is wrong; the parent asks for
    `age_s`. Both read the machine's one monotonic clock."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _MOMENT.size)
        self.now()

    def now(self) -> None:
        _MOMENT.pack_into(self._memory, 0, time.monotonic())

    def age_s(self) -> float:
        moment: float = _MOMENT.unpack_from(self._memory, 0)[0]
        return time.monotonic() - moment
