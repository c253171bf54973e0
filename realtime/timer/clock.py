"""The clock that time is counted by: the database's, read beside this process's monotonic one.

Every node reads the same clock, so a page may go from one to another. A step of it shows itself as
a difference from the monotonic clock; how often it has stepped is a row, because what one node saw
concerns the pages of all.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from datetime import timedelta

from django.db import connection
from django.utils import timezone

from contest.models import Contest
from realtime import metrics
from realtime.clock import database_ms
from realtime.log.append import append
from realtime.log.topics import of_jury

logger = logging.getLogger(__name__)

SHARP_MS = 10.0
"""A reading that took longer says too little about when it was read; it is repeated."""
READINGS = 5
TOLERANCE_MS = 250.0
TOLERANCE_RATE = 0.01
"""What clocks may drift apart, of the time between two readings: a clock being corrected is slewed, not stepped."""

RECENT = timedelta(days=1)
"""Juries of contests that ended longer ago are not alarmed."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The database's clock, the bounds of this process's monotonic clock at the same moment (milliseconds), and
    how many steps of the database's clock are known."""

    database_ms: int
    before_ms: float
    after_ms: float
    steps: int = 0

    def step_since_ms(self, earlier: Clock) -> float:
        """By how much the database's clock moved against the monotonic one, at least; 0 where it need not have."""
        low, high = self.database_ms - self.after_ms, self.database_ms - self.before_ms
        earlier_low, earlier_high = earlier.database_ms - earlier.after_ms, earlier.database_ms - earlier.before_ms
        tolerance_ms = TOLERANCE_MS + TOLERANCE_RATE * max(0.0, self.before_ms - earlier.after_ms)
        if low > earlier_high + tolerance_ms:
            return low - earlier_high
        return high - earlier_low if high < earlier_low - tolerance_ms else 0.0

    def of(self, monotonic_ms: float) -> int:
        """The database's time at an earlier moment of this process, never later than the reading."""
        return self.database_ms - max(0, round((self.before_ms + self.after_ms) / 2 - monotonic_ms))

    @property
    def is_sharp(self) -> bool:
        return self.after_ms - self.before_ms <= SHARP_MS


def read_clock() -> Clock:
    """The sharpest of a few readings: the first one, as a rule."""
    best = _read()
    for _ in range(READINGS - 1):
        if best.is_sharp:
            break
        best = min(best, _read(), key=lambda reading: reading.after_ms - reading.before_ms)
    return best


def _read() -> Clock:
    steps = "COALESCE((SELECT steps FROM realtime_timerclock WHERE id = 1), 0)"
    with connection.cursor() as cursor:
        before_ms = time.monotonic() * 1000
        cursor.execute(f"SELECT {database_ms()}, {steps}")
        now_ms, known = cursor.fetchone()
    return Clock(now_ms, before_ms, time.monotonic() * 1000, known)


class WatchedClock:
    """Readings one after the other, each compared with the one before; of whatever thread, one for each node."""

    def __init__(self) -> None:
        self._last: Clock | None = None

    def read(self) -> Clock:
        """The clock now. A step since the last reading is counted, once for all nodes, in the caller's transaction."""
        clock, last = read_clock(), self._last
        step_ms = 0.0 if last is None else clock.step_since_ms(last)
        if last is not None and step_ms and clock.steps == last.steps:
            clock = count_step(clock, step_ms)
        return clock

    def keep(self, clock: Clock) -> None:
        """Compare the next reading with this one: what it brought is committed."""
        self._last = clock


def count_step(clock: Clock, step_ms: float) -> Clock:
    """Count a step that this node saw, unless another has counted it since `clock` was read; the clock after it."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO realtime_timerclock (id, steps, stepped_ms, step_ms) VALUES (1, 1, %s, %s)"
            " ON CONFLICT (id) DO UPDATE SET steps = realtime_timerclock.steps + 1,"
            " stepped_ms = excluded.stepped_ms, step_ms = excluded.step_ms WHERE realtime_timerclock.steps = %s",
            [clock.database_ms, round(step_ms), clock.steps],
        )
        is_first = cursor.rowcount == 1
    if is_first:
        _raise_alarm(clock.steps + 1, round(step_ms))
    return read_clock()


def _raise_alarm(steps: int, step_ms: int) -> None:
    """To whoever runs the site by log and metric, to the jury of each contest with pages open by an event."""
    metrics.clock_steps.inc()
    message = f"The database's clock has stepped by {step_ms} ms. Up to one interval of each open page is not counted."
    logger.error(message)
    since = timezone.now() - RECENT
    for contest in Contest.objects.filter(ends_at__gt=since, starts_at__lt=timezone.now(), archived_at=None):
        append(of_jury(contest.pk), "timer.alarm", {"version": steps, "step_ms": step_ms, "message": message})
