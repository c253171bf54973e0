"""Which case comes next, and what a record comes to. Pure.

Without groups the first case that is not accepted ends it. With groups (subtasks) a case is left out when
it cannot change anything any more: its group gives all or nothing and is already lost, or a group that it
depends on has a case that was not accepted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from judge.verdicts import Verdict, verdict_of_record

FULL_SCORE = 100.0
"""Points of a problem without groups in a contest that counts points."""
_DIGITS = 6


class Mode(StrEnum):
    MIN = "min"  # the group's points if every case is accepted, else none
    SUM = "sum"  # the points of its accepted cases


@dataclass(frozen=True, slots=True)
class Group:
    name: str
    score: float
    mode: Mode
    depends: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """`score` counts where its group sums."""

    index: int
    group: str = ""
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """`score` is None in a contest that counts no points."""

    verdict: Verdict
    score: float | None
    group_scores: dict[str, float]


def read_groups(scoring: Mapping[str, Any]) -> tuple[Group, ...]:
    """The groups as a package stores them."""
    return tuple(
        Group(row["name"], float(row["score"]), Mode(row["mode"]), tuple(row.get("depends", ())))
        for row in scoring.get("groups", ())
    )


@dataclass(slots=True)
class Plan:
    """The way through one record's cases. `groups` is empty where all cases must pass."""

    cases: Sequence[Case]
    groups: Sequence[Group] = ()
    counts_points: bool = False
    _verdicts: dict[int, Verdict] = field(default_factory=dict)
    _points: dict[int, float] = field(default_factory=dict)
    _left_out: set[int] = field(default_factory=set)

    def next_case(self) -> Case | None:
        """The next case to judge, or None when the record's outcome is certain."""
        verdicts = self._verdicts.values()
        if Verdict.JE in verdicts or (not self.groups and any(v is not Verdict.AC for v in verdicts)):
            return None
        for case in self.cases:
            if case.index in self._verdicts or case.index in self._left_out:
                continue
            if not self._is_lost(case):
                return case
            self._left_out.add(case.index)
        return None

    def take(self, case: Case, verdict: Verdict, points: float | None = None) -> float | None:
        """Take in a judged case; `points` are those of a validator. Answers the case's own points, if it has any."""
        self._verdicts[case.index] = verdict
        group = self._group(case.group)
        if group is None or group.mode is not Mode.SUM:
            return None
        worth = case.score if points is None else points
        self._points[case.index] = worth if verdict is Verdict.AC else 0.0
        return self._points[case.index]

    def outcome(self) -> Outcome:
        verdict = verdict_of_record([self._verdicts[i] for i in sorted(self._verdicts)])
        if not self.counts_points:
            return Outcome(verdict, None, {})
        if verdict is Verdict.JE:
            return Outcome(verdict, 0.0, {})
        if not self.groups:
            return Outcome(verdict, FULL_SCORE if verdict is Verdict.AC else 0.0, {})
        scores = {group.name: self._score_of(group) for group in self.groups}
        return Outcome(verdict, round(sum(scores.values()), _DIGITS), scores)

    def _group(self, name: str) -> Group | None:
        return next((group for group in self.groups if group.name == name), None)

    def _has_failure(self, name: str) -> bool:
        return any(
            case.index in self._left_out or self._verdicts.get(case.index, Verdict.AC) is not Verdict.AC
            for case in self.cases
            if case.group == name
        )

    def _is_lost(self, case: Case) -> bool:
        group = self._group(case.group)
        if group is None:
            return False
        if any(self._has_failure(name) for name in group.depends):
            return True
        return group.mode is Mode.MIN and self._has_failure(group.name)

    def _score_of(self, group: Group) -> float:
        if any(self._has_failure(name) for name in group.depends):
            return 0.0
        if group.mode is Mode.MIN:
            return 0.0 if self._has_failure(group.name) else group.score
        total = sum(self._points.get(case.index, 0.0) for case in self.cases if case.group == group.name)
        return round(total, _DIGITS)
