"""Limits hold for requests that are sent at once, too."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from pytest_django import Settings

from contest.models import Clarification, Contest, Record, User
from contest.services import clarifications, records
from contest.services.errors import Refused

pytestmark = pytest.mark.django_db(transaction=True)
AT_ONCE, LIMIT = 8, 3


def outcomes(action: Callable[[int], object]) -> list[str]:
    """What came of doing it eight times at once."""

    def attempt(number: int) -> str:
        try:
            action(number)
        except Refused as refused:
            return refused.code
        finally:
            connection.close()
        return "done"

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return sorted(pool.map(attempt, range(AT_ONCE)))


def test_no_more_records_wait_than_may(contest: Contest, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "UNJUDGED_LIMIT", LIMIT)
    problem = contest.problems.get()
    came = outcomes(lambda number: records.submit(problem, alice, language="python", source=f"print({number})"))
    assert came == ["busy"] * (AT_ONCE - LIMIT) + ["done"] * LIMIT
    assert Record.objects.count() == LIMIT


def test_no_more_records_a_minute_are_taken_than_may(contest: Contest, alice: User, settings: Settings) -> None:
    settings.SUBMISSIONS_PER_MIN = LIMIT
    problem = contest.problems.get()
    came = outcomes(lambda number: records.submit(problem, alice, language="python", source=f"print({number})"))
    assert came == ["busy"] * (AT_ONCE - LIMIT) + ["done"] * LIMIT
    assert Record.objects.count() == LIMIT


def test_no_more_questions_wait_than_may(contest: Contest, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clarifications, "UNANSWERED_LIMIT", LIMIT)

    def ask(number: int) -> None:
        clarifications.ask_clarification(contest, alice, problem_label="A", text=f"{number}?", command_key=None)

    assert outcomes(ask) == ["busy"] * (AT_ONCE - LIMIT) + ["done"] * LIMIT
    assert Clarification.objects.count() == LIMIT
