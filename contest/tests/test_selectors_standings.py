"""Boards as a viewer may see them, in few queries."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from contest.access import rights_in
from contest.models import (
    Contest,
    Record,
    User,
)
from contest.selectors.standings import View, board, view_for
from contest.services.registration import ban
from contest.services.schedule import change_schedule

pytestmark = pytest.mark.django_db


def test_a_board_takes_three_queries_and_none_the_second_time(
    contest: Contest,
    alice: User,
    bob: User,
    judged: Callable[..., Record],
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    judged(bob, "WA")
    judged(bob, "AC")
    with django_assert_num_queries(3):
        found = board(contest, View.FULL)
    with django_assert_num_queries(0):
        assert board(contest, View.FULL).rows == found.rows
    assert [(row.contestant, row.rank) for row in found.rows] == [(bob.pk, 1), (alice.pk, 2)]
    judged(alice, "AC")
    assert [row.rank for row in board(contest, View.FULL).rows] == [1, 2]
    assert board(contest, View.FULL).rows[0].contestant == alice.pk, "no rejected attempt: less penalty"


def test_the_jurys_records_and_the_banned_are_not_on_the_board(
    contest: Contest, alice: User, bob: User, grace: User, judged: Callable[..., Record]
) -> None:
    judged(grace, "AC")
    judged(bob, "AC")
    ban(contest, bob, grace)
    assert [row.contestant for row in board(contest, View.FULL).rows] == [alice.pk]


def test_contestants_see_the_frozen_board_also_after_the_end_until_the_jury_shows_the_final_one(
    contest: Contest, alice: User, grace: User, judged: Callable[..., Record]
) -> None:
    now = timezone.now()
    contest = change_schedule(
        contest, grace, starts_at=contest.starts_at, ends_at=contest.ends_at, freeze_at=now - timedelta(minutes=1)
    )
    record = judged(alice, "AC")
    contest.refresh_from_db()
    mine, full = (board(contest, view_for(contest, rights_in(contest, user))) for user in (alice, grace))
    assert (mine.view, full.view) == (View.FROZEN, View.FULL)
    assert mine.rows[0].cells[0].pending == 1
    assert full.rows[0].cells[0].is_first  # type: ignore[union-attr]
    contest.ends_at = record.submitted_at + timedelta(seconds=1)
    assert view_for(contest, rights_in(contest, alice, now + timedelta(days=1))) is View.FROZEN
    contest.unfrozen_at = now
    assert view_for(contest, rights_in(contest, alice)) is View.FULL


def test_a_contest_without_feedback_shows_attempts_and_no_outcome_while_it_runs(
    contest: Contest, alice: User, judged: Callable[..., Record]
) -> None:
    contest.feedback, contest.scoring = "none", "ioi"
    contest.save()
    judged(alice, "AC", score=100.0)
    seen = board(contest, view_for(contest, rights_in(contest, alice)))
    assert seen.view is View.BLIND
    assert (seen.rows[0].score, seen.rows[0].cells[0].pending) == (0, 1)  # type: ignore[union-attr]
