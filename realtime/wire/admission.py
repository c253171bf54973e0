"""Who is let in, and how much at once. Pure: times come in as arguments.

Each limit has an outcome that its client can see and recover from: a `retry` frame with a delay.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import TypeVar

FRAMES_A_SECOND = 50
FLOOD_S = 2
BYTES_A_SECOND = 1024 * 1024
BYTES_AT_ONCE = 2 * 1024 * 1024 + 64 * 1024
"""Two of the largest frames (a self-test's, 1 MiB) and what is said beside them. A megabyte of dense JSON takes the
loop tens of milliseconds to read, in which nobody else's ping is answered."""

SECOND_MS = 1000

BURST_S = 10
"""So many seconds' worth of attempts may come at once: after a cut everybody comes back at the same time."""
KEYS_LIMIT = 10_000
"""Addresses or contests remembered; one more forgets the one that was quiet for longest."""
RETURN_MIN_MS, RETURN_MAX_MS = 500, 60_000

Value = TypeVar("Value")


class FloodGuard:
    """More than 50 frames a second for 2 s; a burst of frames (a queue sent after a reconnect) is no flood.
    Or more than 1 MiB a second, beyond 2 MiB at once."""

    __slots__ = ("_began_ms", "_count", "_level_bytes", "_over", "_taken_ms")

    def __init__(self) -> None:
        self._began_ms = float("-inf")
        self._count = 0
        self._over = 0
        self._level_bytes = 0.0
        self._taken_ms = float("-inf")

    def is_flooded(self, now_ms: float, size_bytes: int) -> bool:
        """Count one frame, before it is read; whether it is one of a flood."""
        return self._has_too_many_frames(now_ms) or self._has_too_many_bytes(now_ms, size_bytes)

    def _has_too_many_bytes(self, now_ms: float, size_bytes: int) -> bool:
        leaked_bytes = (now_ms - self._taken_ms) * BYTES_A_SECOND / SECOND_MS
        self._level_bytes = max(0.0, self._level_bytes - leaked_bytes) + size_bytes
        self._taken_ms = now_ms
        return self._level_bytes > BYTES_AT_ONCE

    def _has_too_many_frames(self, now_ms: float) -> bool:
        elapsed_ms = now_ms - self._began_ms
        if elapsed_ms >= SECOND_MS:
            is_next = elapsed_ms < 2 * SECOND_MS
            self._over = self._over + 1 if is_next and self._count > FRAMES_A_SECOND else 0
            if not is_next:
                self._over = 0
            self._began_ms = self._began_ms + SECOND_MS if is_next else now_ms
            self._count = 0
        self._count += 1
        return self._over >= FLOOD_S

    def take_back(self) -> None:
        """The frame counted last said that frames of ours were taken in: there are no more of these than we send."""
        self._count -= 1


class Turns:
    """When those who are turned away may come back: one after the other, `per_s` a second, so that they do not
    come back together as they came. Their number makes the delay longer, chance plays no part in it."""

    __slots__ = ("_last_ms", "_period_ms")

    def __init__(self, per_s: float) -> None:
        self._period_ms = SECOND_MS / per_s
        self._last_ms = float("-inf")

    def next_in_ms(self, now_ms: float) -> int:
        """The delay of whoever is turned away now: from 0.5 s to 60 s."""
        self._last_ms = max(self._last_ms + self._period_ms, now_ms + RETURN_MIN_MS)
        if self._last_ms - now_ms > RETURN_MAX_MS:  # begin again: still apart, and nobody waits for minutes
            self._last_ms = now_ms + RETURN_MIN_MS
        return round(self._last_ms - now_ms)


class AttemptLimit:
    """At most `per_s` attempts a second for each key in the long run, and `BURST_S` seconds' worth of them at once;
    0 a second: no limit. (The generic cell rate algorithm of ITU-T I.371: one number for each key.)"""

    def __init__(self, per_s: int) -> None:
        self._period_ms = SECOND_MS / per_s if per_s else 0.0
        self._per_s = per_s
        self._full_ms: OrderedDict[Hashable, float] = OrderedDict()
        self._turns: OrderedDict[Hashable, Turns] = OrderedDict()

    def admits(self, key: Hashable, now_ms: float) -> bool:
        """Count one attempt, unless it is one too many. None as key: this one has no limit."""
        if not self._per_s or key is None:
            return True
        full_ms = max(self._full_ms.get(key, now_ms), now_ms) + self._period_ms
        if full_ms - now_ms > BURST_S * SECOND_MS:
            return False
        _remember(self._full_ms, key, full_ms)
        return True

    def returns_in_ms(self, key: Hashable, now_ms: float) -> int:
        """When whoever was just refused may come back."""
        turns = self._turns.get(key) or Turns(self._per_s)
        _remember(self._turns, key, turns)
        return turns.next_in_ms(now_ms)


def _remember(table: OrderedDict[Hashable, Value], key: Hashable, value: Value) -> None:
    table[key] = value
    table.move_to_end(key)
    if len(table) > KEYS_LIMIT:
        table.popitem(last=False)


class LagMeter:
    """How late an event loop is with what is due. One long stop (a collection of garbage, a machine that slept)
    counts half; a loop that stays behind is found within two rounds."""

    __slots__ = ("_due_ms", "_lag_ms")

    def __init__(self) -> None:
        self._lag_ms = 0.0
        self._due_ms = float("inf")

    def expect(self, due_ms: float) -> None:
        """The next `measure` is due then."""
        self._due_ms = due_ms

    def measure(self, now_ms: float) -> float:
        """It is measured now. Answers by how much that is late."""
        late_ms = max(0.0, now_ms - self._due_ms)
        self._lag_ms = (self._lag_ms + late_ms) / 2
        return late_ms

    def lag_ms(self, now_ms: float) -> float:
        """As of now; a measurement that is overdue counts already."""
        late_ms = max(0.0, now_ms - self._due_ms)
        return max(self._lag_ms, (self._lag_ms + late_ms) / 2)
