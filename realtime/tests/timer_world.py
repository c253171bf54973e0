"""The world around the timer's rule, for tests: pages as they really are, and arithmetic on intervals of its own."""

from __future__ import annotations

from dataclasses import dataclass, field

from realtime.timer.lease import Interval, Report, Terms


@dataclass
class World:
    """A page as it really is. `visible_at` are the stretches in which it was in front, on the true time line."""

    opened_ms: int
    visible: bool
    visible_at: list[Interval] = field(default_factory=list)
    since_ms: int = 0
    skew_ms: int = 0
    seq: int = 0
    epoch: int = 1
    has_lied: bool = False

    def truth(self, now: int) -> list[Interval]:
        """What may be counted at most; of a page whose clock ran ahead, all its time."""
        if self.has_lied:
            return [(self.opened_ms, now)]
        return [*self.visible_at, (self.since_ms, now)] if self.visible else self.visible_at

    def shown_ms(self, now: int) -> int:
        stretches = [*self.visible_at, (self.since_ms, now)] if self.visible else self.visible_at
        return max(0, measure(stretches) + self.skew_ms)

    def turn(self, now: int) -> None:
        if self.visible:
            self.visible_at.append((self.since_ms, now))
        self.visible, self.since_ms = not self.visible, now


@dataclass(frozen=True)
class Sent:
    """A report on its way; `arrived_ms` on the true time line, once it has arrived."""

    page: int
    epoch: int
    seq: int
    foreground: bool
    foreground_ms: int
    sent_ms: int
    arrived_ms: int = -1


@dataclass(frozen=True)
class Accepted:
    """A settled report, on the clock by which it was settled: what came out may depend on nothing else."""

    sent: Sent
    report: Report
    terms: Terms


def measure(intervals: list[Interval]) -> int:
    """How much time is covered by at least one of `intervals`, by counting ends: no merging as in the rule."""
    ends = sorted([(start, 1) for start, end in intervals if start < end] + [(e, -1) for s, e in intervals if s < e])
    covered, depth, last = 0, 0, 0
    for at, change in ends:
        covered += at - last if depth else 0
        depth, last = depth + change, at
    return covered


def cut(interval: Interval, windows: tuple[Interval, ...]) -> list[Interval]:
    pieces = [(max(interval[0], start), min(interval[1], end)) for start, end in windows]
    return [piece for piece in pieces if piece[0] < piece[1]]


def cut_all(intervals: list[Interval], windows: tuple[Interval, ...]) -> list[Interval]:
    return [piece for each in intervals for piece in cut(each, windows)]
