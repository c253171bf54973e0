"""In which phase a contest is, and how far its clock has come: pure functions of its schedule and one `now`.

The contest's clock runs from the start to the end and stands still in between while the contest is
paused. When a pause is over, the end and a freeze that had not come are later by its length; the start
stays, and the pause is left out of every time that counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum


class Phase(StrEnum):
    COMING = "coming"  # before the start: only that it exists may be seen
    RUNNING = "running"  # submissions count
    FROZEN = "frozen"  # submissions count, standings stand still for contestants
    PAUSED = "paused"  # the clock stands still: problems may be read, nothing can be submitted
    ENDED = "ended"  # nothing counts any more; records open if the contest says so
    ARCHIVED = "archived"  # read only for good; live streams have come to their end


Span = tuple[datetime, datetime]
"""[start, end)."""


@dataclass(frozen=True)
class Schedule:
    starts_at: datetime
    ends_at: datetime
    freeze_at: datetime | None = None
    archived_at: datetime | None = None
    paused_at: datetime | None = None
    pauses: tuple[Span, ...] = ()

    def phase_at(self, now: datetime, extra_time: timedelta = timedelta(0)) -> Phase:
        """The phase at `now` for somebody with `extra_time`. Start belongs to the contest, the end does not."""
        if self.archived_at is not None and now >= self.archived_at:
            return Phase.ARCHIVED
        shown = now if self.paused_at is None else min(now, self.paused_at)
        if shown < self.starts_at:
            return Phase.COMING
        if shown >= self.ends_at + extra_time:
            return Phase.ENDED
        if shown < now:
            return Phase.PAUSED
        if self.freeze_at is not None and now >= self.freeze_at:
            return Phase.FROZEN
        return Phase.RUNNING

    def remaining(self, now: datetime, extra_time: timedelta = timedelta(0)) -> timedelta:
        """How far it is to the end for somebody with `extra_time`; constant while the contest is paused."""
        shown = now if self.paused_at is None else min(now, self.paused_at)
        return max(timedelta(0), self.ends_at + extra_time - shown)

    def elapsed(self, moment: datetime) -> timedelta:
        """What the contest's clock shows at `moment`: time since the start, pauses left out. Negative before it."""
        stopped = sum((_overlap(pause, moment) for pause in self._all_pauses(moment)), timedelta(0))
        return moment - self.starts_at - stopped

    def windows(self, extra_time: timedelta = timedelta(0)) -> list[Span]:
        """When the clock runs for somebody with `extra_time`: [start, end), apart, in order."""
        end = self.ends_at + extra_time
        end = end if self.paused_at is None else min(end, self.paused_at)
        starts = [self.starts_at, *(resumed for _, resumed in self.pauses)]
        ends = [*(paused for paused, _ in self.pauses), end]
        pairs = zip(starts, ends, strict=True)
        return [(start, min(stop, end)) for start, stop in pairs if start < min(stop, end)]

    def _all_pauses(self, moment: datetime) -> tuple[Span, ...]:
        if self.paused_at is None or moment <= self.paused_at:
            return self.pauses
        return (*self.pauses, (self.paused_at, moment))


def _overlap(pause: Span, moment: datetime) -> timedelta:
    """How much of `pause` lies before `moment`."""
    start, end = pause
    return max(timedelta(0), min(end, moment) - start)


def pauses_of(intervals_ms: Sequence[Sequence[int]]) -> tuple[Span, ...]:
    """From milliseconds since 1970, as they are stored."""
    return tuple((_moment(start), _moment(end)) for start, end in intervals_ms)


def milliseconds(moment: datetime) -> int:
    """Since 1970."""
    return round(moment.timestamp() * 1000)


def _moment(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / 1000, UTC)


def is_open(phase: Phase) -> bool:
    """Whether submissions count in this phase."""
    return phase in (Phase.RUNNING, Phase.FROZEN)


def has_begun(phase: Phase) -> bool:
    """Begun and not over: running, frozen or paused."""
    return is_open(phase) or phase is Phase.PAUSED


def is_over(phase: Phase) -> bool:
    return phase in (Phase.ENDED, Phase.ARCHIVED)
