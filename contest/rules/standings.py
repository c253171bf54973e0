"""Standings by the rules of ICPC and of IOI, with freeze, as pure functions of all attempts.

ICPC, after the World Finals rules: more problems solved is better; then less penalty (for each solved
problem the minute of its acceptance, rounded down, and `penalty_minutes` for each rejected attempt
before it); then the earlier last acceptance; who is equal in all of these shares a rank. Compile and
judge errors cost nothing, and so does everything after the acceptance.

IOI: the points of a problem are the sum over its subtasks of the best that any attempt reached in
that subtask; equal totals share a rank.

Freeze: an attempt at or after `freeze_ms` is shown as an attempt whose outcome is not known yet.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

ACCEPTED = "AC"
FREE_OF_CHARGE = frozenset({"CE", "JE"})
MINUTE_MS = 60_000
SCORE_DIGITS = 6
"""Sums of decimal fractions are compared after rounding: 0.1 + 0.2 is 0.3 here."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One record: who, which problem, when (milliseconds since the start), and what came of it."""

    contestant: int
    problem: int
    at_ms: int
    order: int  # grows with submission; separates attempts of one moment
    verdict: str | None  # None: not judged yet
    score: float = 0.0
    groups: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class IcpcCell:
    """One contestant and one problem."""

    rejected: int = 0  # before the acceptance, or all so far
    pending: int = 0  # outcome unknown: not judged yet, or hidden by the freeze
    solved_minute: int | None = None
    solved_key: tuple[int, int] | None = None  # moment of acceptance, to find the first
    is_first: bool = False  # nobody solved this problem earlier

    @property
    def is_solved(self) -> bool:
        return self.solved_minute is not None


@dataclass(frozen=True, slots=True)
class IcpcRow:
    rank: int
    contestant: int
    solved: int
    penalty: int
    last_solved_minute: int
    cells: tuple[IcpcCell, ...]  # in the order of the problems


@dataclass(frozen=True, slots=True)
class IoiCell:
    score: float | None = None  # None: nothing judged yet
    attempts: int = 0  # judged, compile and judge errors left out
    pending: int = 0
    is_full: bool = False  # an attempt passed everything


@dataclass(frozen=True, slots=True)
class IoiRow:
    rank: int
    contestant: int
    score: float
    cells: tuple[IoiCell, ...]


def icpc_standings(
    contestants: Sequence[int],
    problems: Sequence[int],
    attempts: Iterable[Attempt],
    *,
    penalty_minutes: int = 20,
    freeze_ms: int | None = None,
) -> list[IcpcRow]:
    """Rows from best to worst; equals keep the order of `contestants`. Attempts of others are left out."""
    by_cell = _by_cell(attempts, freeze_ms)
    cells = {key: _icpc_cell(list_) for key, list_ in by_cell.items()}
    firsts = _firsts(cells, set(contestants))
    rows = []
    for contestant in contestants:
        line = tuple(_marked(cells.get((contestant, problem), IcpcCell()), firsts.get(problem)) for problem in problems)
        solved = [cell for cell in line if cell.solved_minute is not None]
        minutes = [cell.solved_minute or 0 for cell in solved]
        penalty = sum(minutes) + penalty_minutes * sum(cell.rejected for cell in solved)
        rows.append(IcpcRow(0, contestant, len(solved), penalty, max(minutes, default=0), line))
    ranked = _ranked(rows, lambda row: (-row.solved, row.penalty, row.last_solved_minute))
    return [
        IcpcRow(rank, row.contestant, row.solved, row.penalty, row.last_solved_minute, row.cells)
        for rank, row in ranked
    ]


def ioi_standings(
    contestants: Sequence[int],
    problems: Sequence[int],
    attempts: Iterable[Attempt],
    *,
    freeze_ms: int | None = None,
) -> list[IoiRow]:
    """Rows from best to worst; equals keep the order of `contestants`. Attempts of others are left out."""
    by_cell = _by_cell(attempts, freeze_ms)
    rows = []
    for contestant in contestants:
        line = tuple(_ioi_cell(by_cell.get((contestant, problem), [])) for problem in problems)
        total = round(sum(cell.score or 0.0 for cell in line), SCORE_DIGITS)
        rows.append(IoiRow(0, contestant, total, line))
    return [IoiRow(rank, row.contestant, row.score, row.cells) for rank, row in _ranked(rows, lambda row: -row.score)]


# --- Parts ----------------------------------------------------------------------------------------


def _by_cell(attempts: Iterable[Attempt], freeze_ms: int | None) -> dict[tuple[int, int], list[Attempt]]:
    """Attempts in order of submission by (contestant, problem), with the freeze applied."""
    cells: dict[tuple[int, int], list[Attempt]] = defaultdict(list)
    for attempt in attempts:
        cells[attempt.contestant, attempt.problem].append(_frozen(attempt, freeze_ms))
    for line in cells.values():
        line.sort(key=lambda attempt: (attempt.at_ms, attempt.order))
    return cells


def _frozen(attempt: Attempt, freeze_ms: int | None) -> Attempt:
    if freeze_ms is None or attempt.at_ms < freeze_ms:
        return attempt
    return Attempt(attempt.contestant, attempt.problem, attempt.at_ms, attempt.order, None)


def _icpc_cell(attempts: Sequence[Attempt]) -> IcpcCell:
    rejected = pending = 0
    for attempt in attempts:
        if attempt.verdict == ACCEPTED:
            return IcpcCell(rejected, 0, attempt.at_ms // MINUTE_MS, (attempt.at_ms, attempt.order))
        if attempt.verdict is None:
            pending += 1
        elif attempt.verdict not in FREE_OF_CHARGE:
            rejected += 1
    return IcpcCell(rejected, pending)


def _firsts(cells: Mapping[tuple[int, int], IcpcCell], contestants: set[int]) -> dict[int, tuple[int, int]]:
    """For each problem the moment of its earliest acceptance by one of `contestants`."""
    firsts: dict[int, tuple[int, int]] = {}
    for (contestant, problem), cell in cells.items():
        if cell.solved_key is not None and contestant in contestants:
            firsts[problem] = min(firsts.get(problem, cell.solved_key), cell.solved_key)
    return firsts


def _marked(cell: IcpcCell, first: tuple[int, int] | None) -> IcpcCell:
    if cell.solved_key is None or cell.solved_key != first:
        return cell
    return IcpcCell(cell.rejected, cell.pending, cell.solved_minute, cell.solved_key, is_first=True)


def _ioi_cell(attempts: Sequence[Attempt]) -> IoiCell:
    judged = [a for a in attempts if a.verdict is not None and a.verdict not in FREE_OF_CHARGE]
    pending = sum(attempt.verdict is None for attempt in attempts)
    if not judged:
        return IoiCell(pending=pending)
    best: dict[str, float] = defaultdict(float)
    for attempt in judged:
        for group, score in attempt.groups.items():
            best[group] = max(best[group], score)
    # A record without groups (a problem without subtasks) counts as a whole.
    score = max(sum(best.values()), max(attempt.score for attempt in judged))
    is_full = any(attempt.verdict == ACCEPTED for attempt in judged)
    return IoiCell(round(score, SCORE_DIGITS), len(judged), pending, is_full)


_Row = TypeVar("_Row", IcpcRow, IoiRow)


def _ranked(rows: Sequence[_Row], key: Callable[[_Row], object]) -> list[tuple[int, _Row]]:
    """Rows in order with their ranks 1, 2, 2, 4: equals share the better rank. The sort is stable."""
    ordered = sorted(rows, key=key)  # type: ignore[arg-type]
    ranked: list[tuple[int, _Row]] = []
    for place, row in enumerate(ordered, start=1):
        is_equal = bool(ranked) and key(ranked[-1][1]) == key(row)
        ranked.append((ranked[-1][0] if is_equal else place, row))
    return ranked
