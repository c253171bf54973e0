"""Problems and samples as a viewer may see them."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from contest.access import rights_in
from contest.models import (
    Blob,
    Contest,
    PackageTest,
    Problem,
    Record,
    User,
)
from contest.selectors.problems import choose_statement_language, find_problem, own_states, samples, visible_problems
from contest.services.records import submit

pytestmark = pytest.mark.django_db


def test_before_the_start_there_are_no_problems_but_for_the_jury(contest: Contest, alice: User, grace: User) -> None:
    contest.starts_at = timezone.now() + timedelta(hours=1)
    contest.save()
    assert visible_problems(contest, rights_in(contest, alice)) == []
    assert find_problem(contest, rights_in(contest, alice), "A") is None
    assert [p.label for p in visible_problems(contest, rights_in(contest, grace))] == ["A"]


def test_drafts_are_the_jurys(contest: Contest, alice: User, grace: User) -> None:
    Problem.objects.create(contest=contest, label="B", title="Draft", position=1)
    assert [p.label for p in visible_problems(contest, rights_in(contest, alice))] == ["A"]
    assert find_problem(contest, rights_in(contest, alice), "B") is None
    assert find_problem(contest, rights_in(contest, grace), "B") is not None


def test_own_states_are_words(contest: Contest, alice: User, bob: User, judged: Callable[..., Record]) -> None:
    rights = rights_in(contest, alice)
    assert own_states(contest, rights) == {}
    judged(bob, "AC")
    assert own_states(contest, rights) == {}, "Bob's solution is not Alice's"
    problem = judged(alice, "WA", score=30.0).problem_id
    assert (own_states(contest, rights)[problem].word, own_states(contest, rights)[problem].score) == ("tried", 30.0)
    submit(contest.problems.get(), alice, language="c", source="x")
    assert own_states(contest, rights)[problem].word == "pending"
    judged(alice, "AC")
    assert own_states(contest, rights)[problem].word == "solved"


def test_without_feedback_own_states_say_only_that_something_was_submitted(
    contest: Contest, alice: User, judged: Callable[..., Record]
) -> None:
    contest.feedback = "none"
    contest.save()
    record = judged(alice, "AC", score=100.0)
    state = own_states(contest, rights_in(contest, alice))[record.problem_id]
    assert (state.word, state.score, state.attempts) == ("hidden", None, 1)


def test_samples_are_shown_and_secret_cases_are_not(
    contest: Contest, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    problem = contest.problems.get()
    with django_assert_num_queries(1):
        shown = samples(problem)
    assert [(s.index, s.input, s.answer) for s in shown] == [(1, "1 2\n", "3\n")]


def test_a_large_sample_is_cut_by_the_database(contest: Contest) -> None:
    problem = contest.problems.get()
    test = PackageTest.objects.get(package=problem.package, is_sample=True)
    data = b"0123456789abcdef" * (1 << 20)
    test.input = Blob.objects.create(pk="f" * 64, size_bytes=len(data), data=data)
    test.save()
    del data
    tracemalloc.start()
    try:
        (shown,) = samples(problem)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20, "not the whole of it comes into this process"
    finally:
        tracemalloc.stop()
    assert (shown.is_cut, len(shown.input), shown.input[:16]) == (True, 16 * 1024, "0123456789abcdef")


@pytest.mark.parametrize(
    ("available", "wanted", "chosen"),
    [
        (["en", "ko"], ["ko-KR"], "ko"),
        (["en", "pt-BR"], ["pt"], "pt-BR"),
        (["de", "en"], ["fr"], "en"),
        (["de"], ["fr"], "de"),
        ([], ["fr"], None),
    ],
)
def test_a_statement_is_shown_in_the_nearest_language(
    available: list[str], wanted: list[str], chosen: str | None
) -> None:
    assert choose_statement_language(available, wanted) == chosen
