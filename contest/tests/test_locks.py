"""Services that meet: on PostgreSQL, where many write at once, none waits for another in a circle or for nothing."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

import pytest
from django.db import connection, transaction

from contest.models import Contest, Notice, Participation, Problem, Record, User
from contest.rules.own_time import OwnTime
from contest.services import compensation
from contest.services.compensation import Offer, compensate
from contest.services.notices import edit_notice, post_again, post_notice, withdraw_notice
from contest.services.problems import delete_draft
from contest.services.records import submit
from contest.services.registration import ban, remove
from contest.services.schedule import grant_extra_time

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.scaled]

T = TypeVar("T")


class Elsewhere:
    """Does things in a session of its own."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1)

    def begin(self, work: Callable[[], T]) -> Future[T]:
        return self._pool.submit(self._do, work)

    @staticmethod
    def _do(work: Callable[[], T]) -> T:
        try:
            with connection.cursor() as cursor:
                cursor.execute("SET lock_timeout = '5s'")
            return work()
        finally:
            connection.close()


@pytest.fixture
def elsewhere() -> Elsewhere:
    return Elsewhere()


def until_somebody_waits() -> None:
    """Until a session of this database waits for a lock."""
    for _ in range(500):
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
            )
            if cursor.fetchone()[0]:
                return
        time.sleep(0.01)
    raise AssertionError("nobody waited, so nothing met")


def own(contest: Contest, user: User) -> Participation:
    return contest.participations.get(user=user)


@pytest.mark.parametrize("action", ["extra time", "ban"])
def test_time_for_many_and_a_decision_on_one_of_them_do_not_wait_for_each_other(
    contest: Contest,
    alice: User,
    bob: User,
    grace: User,
    elsewhere: Elsewhere,
    monkeypatch: pytest.MonkeyPatch,
    action: str,
) -> None:
    rows = [own(contest, alice), own(contest, bob)]
    owed = OwnTime(0, (), (), (), 600_000)
    monkeypatch.setattr(compensation, "read_own_times", lambda *_: {row.pk: owed for row in rows})
    met: list[Future[object]] = []

    def grant(participation: Participation, *args: object) -> object:
        granted = grant_extra_time(participation, *args)  # type: ignore[arg-type]
        if not met:  # alice has hers, bob has not, and now bob is decided upon
            if action == "ban":
                met.append(elsewhere.begin(lambda: ban(contest, bob, grace)))
            else:
                met.append(elsewhere.begin(lambda: grant_extra_time(rows[1], grace, 60, "His keyboard broke.")))
            until_somebody_waits()
        return granted

    monkeypatch.setattr(compensation, "grant_extra_time", grant)
    assert compensate(contest, grace, [Offer(row.pk, 300, 0) for row in rows], "The site was down.") == 2
    met[0].result(20)
    assert own(contest, alice).extra_time_s == 300
    assert own(contest, bob).extra_time_s == (300 if action == "ban" else 360)
    assert (own(contest, bob).state == Participation.State.BANNED) is (action == "ban")


@pytest.mark.parametrize("decide", [ban, remove])
def test_who_is_put_out_while_submitting_is_put_out_without_a_circle(
    contest: Contest, alice: User, grace: User, elsewhere: Elsewhere, decide: Callable[[Contest, User, User], object]
) -> None:
    problem = contest.problems.get()
    with transaction.atomic():
        submit(problem, alice, language="python", source="print(3)")
        decided = elsewhere.begin(lambda: decide(contest, alice, grace))
        until_somebody_waits()
    if decide is ban:
        decided.result(20)
        assert own(contest, alice).state == Participation.State.BANNED
    else:
        assert "have submitted" in str(decided.exception(20))
    assert Record.objects.count() == 1


def change_notice(notice: Notice, grace: User) -> None:
    edit_notice(notice, grace, title="T", body="New", level="info", requires_ack=False, problem=None)


def delete_a_draft(notice: Notice, grace: User) -> None:
    draft = Problem.objects.create(contest=notice.contest, label="Z", title="Draft", is_draft=True)
    delete_draft(draft, grace)


@pytest.mark.parametrize("action", [change_notice, withdraw_notice, post_again, delete_a_draft])
def test_whoever_submits_does_not_wait_for_a_notice_or_a_draft(
    contest: Contest,
    alice: User,
    grace: User,
    elsewhere: Elsewhere,
    action: Callable[[Notice, User], object],
) -> None:
    notice = post_notice(contest, grace, title="T", body="Old")
    problem = contest.problems.get(label="A")
    with transaction.atomic():
        action(notice, grace)
        record = elsewhere.begin(lambda: submit(problem, alice, language="python", source="print(3)")).result(20)
    assert Record.objects.get().pk == record.pk
