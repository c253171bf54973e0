"""What is told about a contestant's foreground time: counted stretches, the gaps between them, and why. Pure.

The delivery layer fills these in (`contest.ports`); pages show them. All times are milliseconds since 1970.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

LEAST_S = 10
"""Less than this is not worth an action of the jury."""


class Reason(StrEnum):
    """Why time was not counted, as far as it is known."""

    ABSENT = "absent"  # no page of the contest had been opened yet
    HIDDEN = "hidden"  # no page of the contest was in front
    OFFLINE = "offline"  # the browser said that it was offline
    PROBE = "probe-timeout"  # the connection carried nothing any more: a probe, a report or a handshake got no answer
    CONNECTION = "connection"  # the connection was closed or failed
    SLEPT = "slept"  # the device was asleep
    LATE = "late"  # the connection stood still for a while: reports came, but late
    UNCONFIRMED = "unconfirmed"  # reports came, but the page's own clock confirms less
    DRAIN = "drain"  # a server of the site was replaced
    NODE = "node"  # a server of the site was down
    STALL = "stall"  # a server of the site stood still
    DATABASE = "database"  # the site could not store anything
    CLOCK = "clock"  # the database's clock stepped
    UNKNOWN = "unknown"  # the page fell silent without a word


@dataclass(frozen=True, slots=True)
class Stretch:
    """Counted time from `starts_ms` to `ends_ms`; what is missing of its length are short interruptions."""

    starts_ms: int
    ends_ms: int
    counted_ms: int

    @property
    def interrupted_ms(self) -> int:
        return self.ends_ms - self.starts_ms - self.counted_ms


@dataclass(frozen=True, slots=True)
class Gap:
    """Contest time that was not counted. `by_site` are the parts of it, apart, that the site itself caused."""

    starts_ms: int
    ends_ms: int
    reason: Reason
    by_site: tuple[tuple[int, int], ...] = ()
    is_open: bool = False

    @property
    def by_site_ms(self) -> int:
        return sum(end - start for start, end in self.by_site)

    @property
    def length_ms(self) -> int:
        return self.ends_ms - self.starts_ms


@dataclass(frozen=True, slots=True)
class OwnTime:
    """Of one participation. `waits` are stretches in which its submissions waited because no judge worked."""

    accumulated_ms: int = 0
    stretches: tuple[Stretch, ...] = ()
    gaps: tuple[Gap, ...] = ()
    waits: tuple[tuple[int, int], ...] = ()
    by_site_ms: int = 0
    """Contest time that the site cost: gaps by its own doing and waits for a judge, together, each moment once."""

    @property
    def not_counted_ms(self) -> int:
        return sum(gap.length_ms for gap in self.gaps) + sum(each.interrupted_ms for each in self.stretches)

    def owed_s(self, given_before_s: int) -> int:
        """Extra time that the site owes and has not given yet: whole seconds, or nothing if it is too little."""
        owed_s = -(-self.by_site_ms // 1000) - given_before_s
        return owed_s if owed_s >= LEAST_S else 0
