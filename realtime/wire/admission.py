"""Who is let in, and how much at once. Pure: times come in as arguments.

Each limit has an outcome that its client can see and recover from: a `retry` frame with a delay.
"""

from __future__ import annotations

USER_CONNECTIONS = 60
"""Twelve tabs with all five streams. One more closes that user's longest silent connection, so that
zombies of a lost network cannot lock a contestant out."""

FRAMES_A_SECOND = 50
FLOOD_S = 2

SECOND_MS = 1000


class FloodGuard:
    """More than 50 frames a second for 2 s. A burst (a queue sent after a reconnect) is no flood."""

    __slots__ = ("_began_ms", "_count", "_over")

    def __init__(self) -> None:
        self._began_ms = float("-inf")
        self._count = 0
        self._over = 0

    def is_flooded(self, now_ms: float) -> bool:
        """Count one frame; whether the flood has lasted."""
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
