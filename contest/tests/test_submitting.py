"""A submission is taken once, at the server's time, or refused in words."""

from __future__ import annotations

import hashlib
from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import Settings

from contest import events
from contest.models import Contest, Participation, Problem, Record, User
from contest.services.errors import Refused
from contest.services.records import UNJUDGED_LIMIT, submit

pytestmark = pytest.mark.django_db


@pytest.fixture
def problem(contest: Contest) -> Problem:
    return contest.problems.get(label="A")


def send(problem: Problem, user: User, **fields: object) -> Record:
    return submit(problem, user, **{"language": "python", "source": "print(3)\n", **fields})  # type: ignore[arg-type]


def move(contest: Contest, *, start_h: float, end_h: float) -> None:
    contest.starts_at = timezone.now() + timedelta(hours=start_h)
    contest.ends_at = timezone.now() + timedelta(hours=end_h)
    contest.save()


def test_a_record_is_queued_with_its_receipt(problem: Problem, alice: User, told: list[events.Event]) -> None:
    before = timezone.now()
    record = send(problem, alice)
    assert (record.status, record.verdict, record.purpose) == ("queued", "", "contest")
    assert record.source_sha256 == hashlib.sha256(b"print(3)\n").hexdigest()
    assert before <= record.submitted_at <= timezone.now()
    assert record.participation == Participation.objects.get(user=alice)
    assert (record.package, record.cases_total) == (problem.package, 2)
    assert told == [events.RecordSubmitted(record), events.StandingsChanged(problem.contest)]


def test_a_form_sent_twice_makes_one_record_even_after_the_end(problem: Problem, alice: User, bob: User) -> None:
    first = send(problem, alice, idempotency_key="k")
    assert send(problem, alice, idempotency_key="k") == first
    assert send(problem, bob, idempotency_key="k") != first
    move(problem.contest, start_h=-5, end_h=-1)
    assert send(problem, alice, idempotency_key="k") == first
    assert Record.objects.count() == 2


def test_a_key_that_comes_back_with_something_else_is_refused_and_swallows_nothing(
    problem: Problem, alice: User
) -> None:
    other = Problem.objects.create(contest=problem.contest, label="B", is_draft=False, package=problem.package)
    first = send(problem, alice, idempotency_key="k")
    for changed in ({"source": "print(4)"}, {"language": "cpp"}):
        with pytest.raises(Refused, match="something else"):
            send(problem, alice, idempotency_key="k", **changed)
    with pytest.raises(Refused, match="something else"):
        send(other, alice, idempotency_key="k")
    assert list(Record.objects.all()) == [first]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"language": "cobol"}, "Choose one of the languages"),
        ({"source": " \n"}, "empty"),
        ({"source": "a\x00b"}, "NUL"),
        ({"source": "\ud800"}, "Unicode"),
        ({"source": "x" * (256 * 1024 + 1)}, "larger than 256 KiB"),
        ({"idempotency_key": "k" * 101}, "idempotency key"),
    ],
)
def test_what_cannot_be_judged_is_refused(problem: Problem, alice: User, fields: dict[str, str], words: str) -> None:
    with pytest.raises(Refused, match=words) as refused:
        send(problem, alice, **fields)
    assert refused.value.code == "bad-request"
    assert not Record.objects.exists()


def test_the_source_is_measured_in_bytes(problem: Problem, alice: User) -> None:
    assert send(problem, alice, source="x" * (256 * 1024)).pk
    with pytest.raises(Refused, match="larger"):
        send(problem, alice, source="é" * (128 * 1024 + 1))


@pytest.mark.parametrize(("start_h", "end_h", "words"), [(1, 5, "has not started"), (-5, -1, "is over")])
def test_outside_the_contest_nothing_is_taken(
    problem: Problem, alice: User, start_h: float, end_h: float, words: str
) -> None:
    move(problem.contest, start_h=start_h, end_h=end_h)
    with pytest.raises(Refused, match=words):
        send(problem, alice)


def test_before_the_start_mallory_is_not_told_that_the_problem_exists(problem: Problem, mallory: User) -> None:
    move(problem.contest, start_h=1, end_h=5)
    with pytest.raises(Refused, match="no such problem"):
        send(problem, mallory)


def test_a_draft_takes_the_jurys_records_out_of_competition_and_nobody_elses(
    problem: Problem, alice: User, grace: User
) -> None:
    problem.is_draft = True
    problem.save()
    with pytest.raises(Refused, match="no such problem"):
        send(problem, alice)
    record = send(problem, grace)
    assert (record.purpose, record.participation) == ("staff", None)


def test_submissions_a_minute_are_bounded_for_a_person_and_contest(
    problem: Problem, alice: User, bob: User, settings: Settings
) -> None:
    settings.SUBMISSIONS_PER_MIN = 3
    for number in range(3):
        send(problem, alice, idempotency_key=f"k{number}")
    with pytest.raises(Refused, match=r"3 times within a minute; try again in (60|59|58) seconds") as refused:
        send(problem, alice)
    assert refused.value.code == "busy"
    assert refused.value.retry_after_ms is not None
    assert 50_000 < refused.value.retry_after_ms <= 60_000
    assert send(problem, bob).pk, "others go on"
    oldest = Record.objects.filter(user=alice).earliest("id")
    Record.objects.filter(pk=oldest.pk).update(submitted_at=timezone.now() - timedelta(seconds=61))
    assert send(problem, alice).pk, "one left the minute, so one more may come"


def test_a_form_sent_again_is_answered_and_not_counted(problem: Problem, alice: User, settings: Settings) -> None:
    settings.SUBMISSIONS_PER_MIN = 2
    first = send(problem, alice, idempotency_key="k")
    assert {send(problem, alice, idempotency_key="k") for _ in range(5)} == {first}
    send(problem, alice)
    with pytest.raises(Refused, match="within a minute"):
        send(problem, alice)
    assert send(problem, alice, idempotency_key="k") == first, "also when the minute is full"


def test_waiting_records_of_one_contestant_are_bounded(
    problem: Problem, alice: User, bob: User, settings: Settings
) -> None:
    settings.SUBMISSIONS_PER_MIN = 0
    for _ in range(UNJUDGED_LIMIT):
        send(problem, alice)
    with pytest.raises(Refused) as refused:
        send(problem, alice)
    assert (refused.value.code, refused.value.retry_after_ms) == ("busy", 10_000)
    assert send(problem, bob).pk
