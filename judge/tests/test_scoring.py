"""Which cases are judged and what a record comes to, by ICPC's rule and by groups."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.scoring import FULL_SCORE, Case, Group, Mode, Outcome, Plan, read_groups
from judge.verdicts import Verdict

pytestmark = pytest.mark.embedded  # no database is involved

SAMPLE = [Case(1)]
SMALL = [Case(2, "small"), Case(3, "small")]
LARGE = [Case(4, "large"), Case(5, "large")]
SUMMED = [Case(6, "bonus", 3.5), Case(7, "bonus", 1.5)]
GROUPS = (
    Group("small", 30, Mode.MIN),
    Group("large", 70, Mode.MIN, ("small",)),
    Group("bonus", 5, Mode.SUM),
)


def judge(plan: Plan, wrong: dict[int, Verdict], points: dict[int, float] | None = None) -> list[int]:
    """Goes the plan's way; answers the indexes that were judged."""
    judged = []
    while (case := plan.next_case()) is not None:
        judged.append(case.index)
        plan.take(case, wrong.get(case.index, Verdict.AC), (points or {}).get(case.index))
    return judged


def test_the_first_wrong_case_ends_an_icpc_record() -> None:
    plan = Plan([*SAMPLE, *SMALL, *LARGE])
    assert judge(plan, {3: Verdict.TLE, 4: Verdict.WA}) == [1, 2, 3]
    assert plan.outcome() == Outcome(Verdict.TLE, None, {})


def test_all_right_is_accepted() -> None:
    plan = Plan([*SAMPLE, *SMALL])
    assert judge(plan, {}) == [1, 2, 3]
    assert plan.outcome() == Outcome(Verdict.AC, None, {})


@pytest.mark.parametrize(("wrong", "score"), [({}, FULL_SCORE), ({2: Verdict.WA}, 0.0)])
def test_without_groups_points_are_all_or_nothing(wrong: dict[int, Verdict], score: float) -> None:
    plan = Plan([*SAMPLE, *SMALL], counts_points=True)
    judge(plan, wrong)
    assert plan.outcome().score == score


def test_a_lost_group_is_left_and_those_that_depend_on_it_with_it() -> None:
    plan = Plan([*SAMPLE, *SMALL, *LARGE, *SUMMED], GROUPS, counts_points=True)
    assert judge(plan, {2: Verdict.RE}) == [1, 2, 6, 7]
    assert plan.outcome() == Outcome(Verdict.RE, 5.0, {"small": 0.0, "large": 0.0, "bonus": 5.0})


def test_a_summing_group_is_judged_to_its_end() -> None:
    plan = Plan([*SMALL, *LARGE, *SUMMED], GROUPS, counts_points=True)
    assert judge(plan, {6: Verdict.WA}) == [2, 3, 4, 5, 6, 7]
    assert plan.outcome() == Outcome(Verdict.WA, 101.5, {"small": 30, "large": 70, "bonus": 1.5})


def test_a_validators_points_count_in_a_summing_group() -> None:
    plan = Plan(SUMMED, GROUPS[2:], counts_points=True)
    judge(plan, {}, {6: 0.25})
    assert plan.outcome().group_scores == {"bonus": 1.75}


def test_a_group_before_the_one_it_depends_on_gives_nothing_if_that_fails() -> None:
    groups = (Group("first", 40, Mode.MIN, ("second",)), Group("second", 60, Mode.MIN))
    plan = Plan([Case(1, "first"), Case(2, "second")], groups, counts_points=True)
    assert judge(plan, {2: Verdict.WA}) == [1, 2]
    assert plan.outcome() == Outcome(Verdict.WA, 0.0, {"first": 0.0, "second": 0.0})


def test_a_fault_of_ours_ends_it_and_counts_nothing() -> None:
    plan = Plan([*SMALL, *LARGE], GROUPS, counts_points=True)
    assert judge(plan, {2: Verdict.WA, 4: Verdict.JE, 3: Verdict.JE}) == [2]
    plan = Plan([*SMALL, *LARGE], GROUPS, counts_points=True)
    assert judge(plan, {3: Verdict.JE}) == [2, 3]
    assert plan.outcome() == Outcome(Verdict.JE, 0.0, {})


def test_groups_are_read_as_packages_store_them() -> None:
    stored = {"groups": [{"name": "a", "score": 10, "mode": "sum", "depends": ["b"]}]}
    assert read_groups(stored) == (Group("a", 10.0, Mode.SUM, ("b",)),)
    assert read_groups({}) == ()


@given(st.sets(st.integers(min_value=1, max_value=7)))
def test_leaving_cases_out_never_changes_the_points(failing: set[int]) -> None:
    cases = [*SAMPLE, *SMALL, *LARGE, *SUMMED]
    wrong = dict.fromkeys(failing, Verdict.WA)
    short, full = Plan(cases, GROUPS, counts_points=True), Plan(cases, GROUPS, counts_points=True)
    judge(short, wrong)
    for case in cases:  # without leaving anything out
        full.take(case, wrong.get(case.index, Verdict.AC))
    assert short.outcome().score == full.outcome().score
    assert (short.outcome().verdict is Verdict.AC) == (not failing)
