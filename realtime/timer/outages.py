"""When the site could not do its work, from what its nodes left behind. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from math import inf

DEAD_AFTER_MS = 20_000
"""Not heard of for so long: it died without a word, right after its last beat."""
BACK_AFTER_MS = 30_000
"""What pages may need to be back after an outage: their back-off, the handshake, the first report."""


class Kind(StrEnum):
    NODE = "node"  # a node was gone: it died, or it was stopped
    STALL = "stall"  # a node stood still
    DATABASE = "database"  # nothing could be stored
    JUDGE = "judge"  # submissions waited and no judge worked


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a node; `stopped_ms` None: it lives, or it died after `beat_ms`."""

    node: str
    started_ms: int
    beat_ms: int
    stopped_ms: int | None = None

    def ended_ms(self, now_ms: int) -> int | None:
        if self.stopped_ms is not None:
            return self.stopped_ms
        return self.beat_ms if now_ms - self.beat_ms > DEAD_AFTER_MS else None


@dataclass(frozen=True, slots=True)
class Outage:
    """`node` empty: it concerned everybody. `is_planned`: the node was stopped, it did not die."""

    kind: Kind
    node: str
    starts_ms: int
    ends_ms: int
    is_planned: bool = False

    def concerns(self, node: str) -> bool:
        return self.node in ("", node)


def downtimes(runs: Sequence[Run], now_ms: int) -> list[Outage]:
    """For each run that is over: from its end until its contestants could be served again, by another node or its
    successor. Where others ran, that is at once; what remains is what pages need to get there."""
    up_again = _UpAgain(runs, now_ms)
    found = []
    for run in runs:
        ended_ms = run.ended_ms(now_ms)
        if ended_ms is not None:
            found.append(Outage(Kind.NODE, run.node, ended_ms, up_again(ended_ms), run.stopped_ms is not None))
    return found


class _UpAgain:
    """From when on a node runs, at or after a moment: sorted once, for a node that cannot start may try thousands of
    times during a contest."""

    def __init__(self, runs: Sequence[Run], now_ms: int) -> None:
        self._now_ms = now_ms
        lives = sorted((each.started_ms, _or_for_ever(each.ended_ms(now_ms))) for each in runs)
        self._starts = [start for start, _ in lives]
        self._last_ends = list(accumulate((end for _, end in lives), max))
        """For each run: the last end of those that had started by then."""

    def __call__(self, ended_ms: int) -> int:
        started = bisect_right(self._starts, ended_ms)
        if started and self._last_ends[started - 1] > ended_ms:
            return ended_ms
        return self._starts[started] if started < len(self._starts) else self._now_ms


def _or_for_ever(ended_ms: int | None) -> float:
    return inf if ended_ms is None else ended_ms
