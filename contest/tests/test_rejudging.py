"""Judging again: one record or all of a problem, once each, with the history and the progress to show for it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from contest import events
from contest.models import Contest, Package, Record, RecordCase, User
from contest.models.queue import QueueClass, Status
from contest.services import rejudging as service
from contest.services.errors import Refused
from contest.services.records import submit
from contest.services.rejudging import rejudge_problem, rejudge_record

pytestmark = pytest.mark.django_db


@pytest.fixture
def judged(contest: Contest) -> Callable[[User], Record]:
    def make(user: User) -> Record:
        record = submit(contest.problems.get(), user, language="c", source=f"x{Record.objects.count()}")
        Record.objects.filter(pk=record.pk).update(status=Status.FINAL, verdict="WA", cases_done=1)
        RecordCase.objects.create(record=record, attempt=0, index=1, verdict="WA", time_ms=1, memory_kb=1)
        record.refresh_from_db()
        return record

    return make


def test_one_record_is_reopened_with_the_current_package_and_noted(
    contest: Contest, alice: User, grace: User, judged: Callable[[User], Record], told: list[events.Event]
) -> None:
    record = judged(alice)
    problem = contest.problems.get()
    newer = Package.objects.create(
        problem=problem, version=2, source_format="2023-07", sha256="1" * 64, imported_at=contest.starts_at,
        time_limit_ms=1000, memory_limit_kb=262144,
    )  # fmt: skip
    problem.package = newer
    problem.save()
    told.clear()
    made = rejudge_record(Record.objects.get(pk=record.pk), grace, "the tests were wrong")
    again = Record.objects.get(pk=record.pk)
    assert (again.status, again.verdict, again.queue_class) == (Status.QUEUED, "", QueueClass.BACKGROUND)
    assert (again.package, again.rejudging, made.total) == (newer, made, 1)
    assert not again.cases.exists()
    assert type(told[0]) is events.RecordReopened
    entry = contest.audit.get()
    assert (entry.by, entry.subject, entry.reason) == (grace, alice, "the tests were wrong")


def test_a_record_that_is_not_final_is_left_alone_and_nothing_is_noted(
    contest: Contest, alice: User, grace: User
) -> None:
    record = submit(contest.problems.get(), alice, language="c", source="x")
    with pytest.raises(Refused, match="being judged"):
        rejudge_record(record, grace)
    assert (contest.audit.count(), contest.rejudgings.count()) == (0, 0)


def test_all_final_records_of_a_problem_are_reopened_in_steps_and_others_are_left_alone(
    contest: Contest,
    alice: User,
    bob: User,
    grace: User,
    judged: Callable[[User], Record],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(service, "RECORDS_A_TRANSACTION", 2)
    final = [judged(user) for user in (alice, bob, alice, grace, bob)]
    waiting = submit(contest.problems.get(), bob, language="c", source="waits")
    made = rejudge_problem(contest.problems.get(), grace)
    assert (made.total, made.is_whole_problem) == (5, True)
    assert set(made.records.all()) == set(final)
    assert Record.objects.get(pk=waiting.pk).rejudging is None
    assert contest.audit.get().words == "Had all records of problem A judged again: 5."
    with pytest.raises(Refused, match="nothing to judge"):
        rejudge_problem(contest.problems.get(), grace)


def test_contestants_have_nothing_judged_again(contest: Contest, alice: User, judged: Callable[[User], Record]) -> None:
    record = judged(alice)
    with pytest.raises(Refused, match="Only the jury"):
        rejudge_record(record, alice)
    with pytest.raises(Refused, match="Only the jury"):
        rejudge_problem(record.problem, alice)
    assert Record.objects.get(pk=record.pk).status == Status.FINAL
