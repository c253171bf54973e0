"""In which phase a contest is: a pure function of its schedule and one `now`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum


class Phase(StrEnum):
    COMING = "coming"  # before the start: only that it exists may be seen
    RUNNING = "running"  # submissions count
    FROZEN = "frozen"  # submissions count, standings stand still for contestants
    ENDED = "ended"  # nothing counts any more; records open if the contest says so
    ARCHIVED = "archived"  # read only for good; live streams have come to their end


@dataclass(frozen=True)
class Schedule:
    starts_at: datetime
    ends_at: datetime
    freeze_at: datetime | None = None
    archived_at: datetime | None = None

    def phase_at(self, now: datetime, extra_time: timedelta = timedelta(0)) -> Phase:
        """The phase at `now` for somebody with `extra_time`. Start belongs to the contest, the end does not."""
        if self.archived_at is not None and now >= self.archived_at:
            return Phase.ARCHIVED
        if now < self.starts_at:
            return Phase.COMING
        if now >= self.ends_at + extra_time:
            return Phase.ENDED
        if self.freeze_at is not None and now >= self.freeze_at:
            return Phase.FROZEN
        return Phase.RUNNING


def is_open(phase: Phase) -> bool:
    """Whether submissions count in this phase."""
    return phase in (Phase.RUNNING, Phase.FROZEN)


def is_over(phase: Phase) -> bool:
    return phase in (Phase.ENDED, Phase.ARCHIVED)
