"""Standings by hand-made tables, and by properties over random contests."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.rules.standings import Attempt, icpc_standings, ioi_standings

ALICE, BOB, CAROL = 1, 2, 3
A, B = 10, 20
MINUTE = 60_000


def attempts(*rows: tuple[Any, ...]) -> list[Attempt]:
    """(contestant, problem, minute, verdict[, score[, groups]]) in order of submission."""
    return [
        Attempt(who, problem, int(minute * MINUTE), order, verdict, *rest)
        for order, (who, problem, minute, verdict, *rest) in enumerate(rows)
    ]


def icpc(rows: list[Attempt], **rules: Any) -> list[tuple[int, int, int, int]]:
    """(rank, contestant, solved, penalty) of three contestants and two problems."""
    board = icpc_standings([ALICE, BOB, CAROL], [A, B], rows, **rules)
    return [(row.rank, row.contestant, row.solved, row.penalty) for row in board]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        pytest.param([], [(1, ALICE, 0, 0), (1, BOB, 0, 0), (1, CAROL, 0, 0)], id="nothing yet: all are first"),
        pytest.param([(BOB, A, 10, "AC")], [(1, BOB, 1, 10), (2, ALICE, 0, 0), (2, CAROL, 0, 0)], id="solving counts"),
        pytest.param(
            [(BOB, A, 5, "WA"), (BOB, A, 6, "TLE"), (BOB, A, 10.99, "AC"), (ALICE, A, 51, "AC")],
            [(1, BOB, 1, 50), (2, ALICE, 1, 51), (3, CAROL, 0, 0)],
            id="20 minutes a rejected attempt, minutes rounded down",
        ),
        pytest.param(
            [(BOB, A, 5, "CE"), (BOB, A, 6, "JE"), (BOB, A, 10, "AC")],
            [(1, BOB, 1, 10), (2, ALICE, 0, 0), (2, CAROL, 0, 0)],
            id="compile and judge errors are free",
        ),
        pytest.param(
            [(BOB, A, 10, "AC"), (BOB, A, 12, "WA"), (BOB, A, 14, "AC"), (BOB, A, 15, None)],
            [(1, BOB, 1, 10), (2, ALICE, 0, 0), (2, CAROL, 0, 0)],
            id="what comes after the acceptance is free",
        ),
        pytest.param(
            [(BOB, A, 10, "WA"), (BOB, B, 12, "WA"), (BOB, B, 30, "AC")],
            [(1, BOB, 1, 50), (2, ALICE, 0, 0), (2, CAROL, 0, 0)],
            id="rejected attempts at an unsolved problem are free",
        ),
        pytest.param(
            [(ALICE, A, 10, "AC"), (ALICE, B, 50, "AC"), (BOB, A, 20, "AC"), (BOB, B, 40, "AC")],
            [(1, BOB, 2, 60), (2, ALICE, 2, 60), (3, CAROL, 0, 0)],
            id="equal penalty: the earlier last acceptance is better",
        ),
        pytest.param(
            [(CAROL, A, 10, "AC"), (BOB, B, 10, "AC")],
            [(1, BOB, 1, 10), (1, CAROL, 1, 10), (3, ALICE, 0, 0)],
            id="equals share a rank and the next rank is left out",
        ),
        pytest.param(
            [(99, A, 1, "AC"), (BOB, 77, 1, "AC")],
            [(1, ALICE, 0, 0), (1, BOB, 0, 0), (1, CAROL, 0, 0)],
            id="strangers and other problems are left out",
        ),
    ],
)
def test_icpc(rows: list[tuple[Any, ...]], expected: list[tuple[int, int, int, int]]) -> None:
    assert icpc(attempts(*rows)) == expected


def test_the_penalty_is_the_contests() -> None:
    rows = attempts((BOB, A, 5, "WA"), (BOB, A, 10, "AC"))
    assert icpc(rows, penalty_minutes=10)[0] == (1, BOB, 1, 20)
    assert icpc(rows, penalty_minutes=0)[0] == (1, BOB, 1, 10)


def test_the_first_to_solve_is_marked_by_time_and_then_by_order() -> None:
    rows = attempts((BOB, A, 10, "AC"), (ALICE, A, 10, "AC"), (ALICE, B, 30, "AC"), (CAROL, B, 29.5, "AC"))
    rows += [Attempt(99, A, 0, 0, "AC")]
    board = icpc_standings([ALICE, BOB, CAROL], [A, B], rows)
    assert {
        (row.contestant, [cell.is_first for cell in row.cells].index(True)) for row in board if row.contestant != ALICE
    } == {
        (BOB, 0),
        (CAROL, 1),
    }
    assert sum(cell.is_first for row in board for cell in row.cells) == 2


def test_the_freeze_hides_outcomes_from_its_first_millisecond_on_and_shows_that_there_were_attempts() -> None:
    rows = attempts((BOB, A, 59, "WA"), (BOB, A, 60, "AC"), (BOB, B, 61, "WA"), (ALICE, A, 59.999, "AC"))
    board = icpc_standings([ALICE, BOB], [A, B], rows, freeze_ms=60 * MINUTE)
    assert [(row.contestant, row.solved) for row in board] == [(ALICE, 1), (BOB, 0)]
    hidden, other = board[1].cells
    assert (hidden.rejected, hidden.pending, hidden.is_solved) == (1, 1, False)
    assert (other.rejected, other.pending) == (0, 1)
    shown = icpc_standings([ALICE, BOB], [A, B], rows)
    assert [row.solved for row in shown] == [1, 1], "without the freeze Bob's solution counts"


def test_an_attempt_that_is_not_judged_is_pending_and_free() -> None:
    cell = icpc_standings([BOB], [A], attempts((BOB, A, 1, None), (BOB, A, 2, "WA")))[0].cells[0]
    assert (cell.rejected, cell.pending, cell.is_solved) == (1, 1, False)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        pytest.param([], [(1, ALICE, 0), (1, BOB, 0)], id="nothing yet"),
        pytest.param(
            [(BOB, A, 1, "WA", 30.0), (BOB, A, 2, "WA", 20.0)],
            [(1, BOB, 30), (2, ALICE, 0)],
            id="without subtasks the best attempt counts",
        ),
        pytest.param(
            [(BOB, A, 1, "WA", 30.0, {"1": 30.0, "2": 0.0}), (BOB, A, 2, "WA", 70.0, {"1": 0.0, "2": 70.0})],
            [(1, BOB, 100), (2, ALICE, 0)],
            id="each subtask counts with its best attempt",
        ),
        pytest.param(
            [(BOB, A, 1, "CE", 0.0), (BOB, A, 2, "JE", 0.0), (BOB, A, 3, None)],
            [(1, ALICE, 0), (1, BOB, 0)],
            id="no points for what was not judged",
        ),
        pytest.param(
            [(BOB, A, 1, "WA", 0.1), (BOB, B, 1, "WA", 0.2), (ALICE, A, 1, "WA", 0.3)],
            [(1, ALICE, 0.3), (1, BOB, 0.3)],
            id="0.1 + 0.2 and 0.3 share a rank",
        ),
    ],
)
def test_ioi(rows: list[tuple[Any, ...]], expected: list[tuple[int, int, float]]) -> None:
    board = ioi_standings([ALICE, BOB], [A, B], attempts(*rows))
    assert [(row.rank, row.contestant, row.score) for row in board] == expected


def test_ioi_cells_say_what_was_tried() -> None:
    rows = attempts((BOB, A, 1, "CE"), (BOB, A, 2, "WA", 40.0), (BOB, A, 3, "AC", 100.0), (BOB, A, 4, None))
    tried, untried = ioi_standings([BOB], [A, B], rows)[0].cells
    assert (tried.score, tried.attempts, tried.pending, tried.is_full) == (100, 2, 1, True)
    assert (untried.score, untried.attempts, untried.pending, untried.is_full) == (None, 0, 0, False)


def test_ioi_freeze_keeps_the_points_of_before() -> None:
    rows = attempts((BOB, A, 1, "WA", 40.0), (BOB, A, 10, "AC", 100.0))
    cell = ioi_standings([BOB], [A], rows, freeze_ms=10 * MINUTE)[0].cells[0]
    assert (cell.score, cell.pending, cell.is_full) == (40, 1, False)


# --- Properties -----------------------------------------------------------------------------------

verdicts = st.sampled_from(["AC", "WA", "TLE", "MLE", "OLE", "RE", "CE", "JE", None])
groups = st.dictionaries(st.sampled_from(["1", "2", "3"]), st.integers(0, 40).map(float))
random_attempts = st.lists(
    st.builds(
        Attempt,
        contestant=st.sampled_from([ALICE, BOB, CAROL, 99]),
        problem=st.sampled_from([A, B, 77]),
        at_ms=st.integers(0, 300 * MINUTE),
        order=st.integers(0, 10_000),
        verdict=verdicts,
        score=st.integers(0, 100).map(float),
        groups=groups,
    ),
    max_size=40,
    unique_by=lambda attempt: attempt.order,
)


@given(random_attempts, st.randoms(use_true_random=False))
def test_standings_do_not_depend_on_the_order_in_which_attempts_are_read(
    rows: list[Attempt], chance: random.Random
) -> None:
    shuffled = list(rows)
    chance.shuffle(shuffled)
    people, problems = [ALICE, BOB, CAROL], [A, B]
    assert icpc_standings(people, problems, shuffled) == icpc_standings(people, problems, rows)
    assert ioi_standings(people, problems, shuffled) == ioi_standings(people, problems, rows)


@given(random_attempts, st.integers(0, 300 * MINUTE))
def test_frozen_standings_are_those_of_before_the_freeze_with_pending_attempts(
    rows: list[Attempt], freeze_ms: int
) -> None:
    people, problems = [ALICE, BOB, CAROL], [A, B]
    before = [row for row in rows if row.at_ms < freeze_ms]
    frozen = icpc_standings(people, problems, rows, freeze_ms=freeze_ms)
    early = icpc_standings(people, problems, before)
    assert [(r.rank, r.contestant, r.solved, r.penalty) for r in frozen] == [
        (r.rank, r.contestant, r.solved, r.penalty) for r in early
    ]
    points = ioi_standings(people, problems, rows, freeze_ms=freeze_ms)
    assert [(r.rank, r.contestant, r.score) for r in points] == [
        (r.rank, r.contestant, r.score) for r in ioi_standings(people, problems, before)
    ]


@given(random_attempts)
def test_ranks_are_in_order_and_everybody_is_there_once(rows: list[Attempt]) -> None:
    people = [ALICE, BOB, CAROL]
    for board in (icpc_standings(people, [A, B], rows), ioi_standings(people, [A, B], rows)):
        assert sorted(row.contestant for row in board) == people
        ranks = [row.rank for row in board]
        assert ranks[0] == 1
        assert all(rank == place or rank == ranks[place - 2] for place, rank in enumerate(ranks, start=1))


@given(random_attempts)
def test_one_more_acceptance_never_lowers_a_contestants_rank(rows: list[Attempt]) -> None:
    people, problems = [ALICE, BOB, CAROL], [A, B]
    late = Attempt(BOB, B, 301 * MINUTE, 20_000, "AC", 100.0)
    ranks = [
        next(row.rank for row in icpc_standings(people, problems, tried) if row.contestant == BOB)
        for tried in (rows, [*rows, late])
    ]
    assert ranks[1] <= ranks[0]


@given(random_attempts, random_attempts)
def test_ioi_points_never_fall_by_further_attempts(rows: list[Attempt], more: list[Attempt]) -> None:
    def points(tried: list[Attempt]) -> dict[int, float]:
        return {row.contestant: row.score for row in ioi_standings([ALICE, BOB], [A, B], tried)}

    before, after = points(rows), points(rows + more)
    assert all(after[who] >= before[who] for who in before)
