"""People take turns at the judge: nobody's many records keep others from their verdicts."""

from __future__ import annotations

import pytest
from django.utils import timezone

from conftest import make_user
from contest.models import Contest, Participation, Record, User
from contest.models.queue import QueueClass
from contest.services import judging
from contest.services.judging import Final, claim_record
from contest.services.records import submit

pytestmark = pytest.mark.django_db


def send(contest: Contest, user: User, count: int = 1) -> list[Record]:
    problem = contest.problems.get()
    return [submit(problem, user, language="python", source=f"while {number}: pass") for number in range(1, count + 1)]


def claimed(worker: str = "w") -> Record:
    found = claim_record(worker, QueueClass.LIVE)
    assert found is not None
    return found[1]


def test_a_contestant_who_sent_many_keeps_others_waiting_for_one_of_them(
    contest: Contest, alice: User, bob: User
) -> None:
    hers = send(contest, alice, 5)
    (his,) = send(contest, bob)
    assert his.queued_at > max(record.queued_at for record in hers), "the premise: all of hers came first"
    assert [claimed(f"w{number}") for number in range(3)] == [hers[0], his, hers[1]]


def test_what_is_being_judged_is_a_turn_of_that_person(contest: Contest, alice: User, bob: User) -> None:
    hers = send(contest, alice, 3)
    assert claimed("w1") == hers[0]
    his = send(contest, bob, 2)
    assert [claimed(f"w{number}") for number in range(2, 6)] == [his[0], hers[1], his[1], hers[2]]


def test_after_a_verdict_the_next_of_that_person_is_in_its_place_by_age(
    contest: Contest, alice: User, bob: User
) -> None:
    hers = send(contest, alice, 2)
    found = claim_record("w", QueueClass.LIVE)
    assert found is not None
    judging.finish(found[0], Final("AC"))
    send(contest, bob)
    assert claimed() == hers[1]


def test_three_people_go_round_and_the_first_come_begins(contest: Contest, alice: User, bob: User) -> None:
    carol = make_user("carol")
    Participation.objects.create(contest=contest, user=carol, registered_at=timezone.now())
    for user, count in ((alice, 3), (bob, 2), (carol, 3)):
        send(contest, user, count)
    order = [claimed(f"w{number}").user for number in range(8)]
    assert order == [alice, bob, carol, alice, bob, carol, alice, carol]


def test_a_record_that_was_given_back_is_before_that_persons_later_ones(contest: Contest, alice: User) -> None:
    hers = send(contest, alice, 2)
    found = claim_record("w", QueueClass.LIVE)
    assert found is not None
    judging.give_back(found[0])
    assert [claimed("w1"), claimed("w2")] == hers


def test_rejudging_goes_by_age_alone(contest: Contest, alice: User, bob: User) -> None:
    records = [*send(contest, alice, 2), *send(contest, bob)]
    Record.objects.update(queue_class=QueueClass.BACKGROUND)
    found = [claim_record(f"w{number}", QueueClass.BACKGROUND) for number in range(3)]
    assert [each and each[1] for each in found] == records
