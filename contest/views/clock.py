"""What a contest's clock shows: towards which moment it counts, and how far that is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from contest.models import Contest
from contest.rules.phases import Phase


@dataclass(frozen=True)
class Clock:
    label: str
    remaining_ms: int


def clock_for(contest: Contest, phase: Phase, now: datetime, extra_time: timedelta = timedelta(0)) -> Clock:
    if phase is Phase.COMING:
        return Clock("Starts in", _ms(contest.starts_at - now))
    if phase in (Phase.RUNNING, Phase.FROZEN):
        return Clock("Ends in", _ms(contest.ends_at + extra_time - now))
    return Clock("Over", 0)


def _ms(span: timedelta) -> int:
    return max(0, int(span.total_seconds() * 1000))
