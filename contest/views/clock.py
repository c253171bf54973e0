"""What a contest's clock shows: towards which moment it counts, and how far that is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from contest.access import schedule_of
from contest.models import Contest
from contest.rules.phases import Phase, has_begun
from contest.services.audit import minutes_in_words


@dataclass(frozen=True)
class Clock:
    label: str
    remaining_ms: int
    extra_s: int = 0  # the viewer's own, which moves their end

    @property
    def words(self) -> str:
        """What stands before the time; pages with a script write the same."""
        if self.label == "Paused":
            return "Paused,"
        if self.label == "Ends in" and self.extra_s:
            return f"Your end, with {minutes_in_words(self.extra_s)} extra, in"
        return self.label

    @property
    def unit(self) -> str:
        return " left" if self.label == "Paused" else ""


def clock_for(contest: Contest, phase: Phase, now: datetime, extra_time: timedelta = timedelta(0)) -> Clock:
    if phase is Phase.COMING:
        return Clock("Starts in", _ms(contest.starts_at - now))
    if has_begun(phase):
        label = "Paused" if phase is Phase.PAUSED else "Ends in"
        return Clock(label, _ms(schedule_of(contest).remaining(now, extra_time)), int(extra_time.total_seconds()))
    return Clock("Over", 0)


def _ms(span: timedelta) -> int:
    return max(0, int(span.total_seconds() * 1000))
