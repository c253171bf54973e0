"""The database's clock in the hands of a test."""

from __future__ import annotations

from django.utils import timezone

from realtime.models import TimerClock
from realtime.timer.clock import Clock


class FakeClock:
    """The database's clock, moved by the test; monotonic time stands still, so nothing counts as held."""

    def __init__(self) -> None:
        self.now_ms = round(timezone.now().timestamp() * 1000)
        self.monotonic_ms = 0.0

    def read(self) -> Clock:
        steps = TimerClock.objects.values_list("steps", flat=True).first() or 0
        return Clock(self.now_ms, self.monotonic_ms, self.monotonic_ms, steps)

    def forward(self, by_ms: int) -> None:
        self.now_ms += by_ms
        self.monotonic_ms += by_ms

    def step(self, by_ms: int) -> None:
        """The database's clock is set; the monotonic one knows nothing of it."""
        self.now_ms += by_ms
