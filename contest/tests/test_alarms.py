"""The jury is told what is wrong with judging, once, and told again when it is over."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from contest import events, ports
from contest.models import Contest, JudgeAlarms, Problem, Record, User
from contest.models.queue import QueueClass, Verdict
from contest.services.alarms import check_judging
from contest.services.judging import Final, claim_record, finish, reopen
from contest.services.records import submit
from contest.tests.people import entered

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def judges(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """As many as are in it are alive."""
    alive = ["judge"]
    monkeypatch.setattr(ports, "_judge_counter", lambda: len(alive))
    return alive


@pytest.fixture
def problem(contest: Contest) -> Problem:
    return contest.problems.get(label="A")


def submitted(problem: Problem, user: User, ago: timedelta) -> Record:
    record = submit(problem, user, language="python", source="print(1)")
    Record.objects.filter(pk=record.pk).update(queued_at=timezone.now() - ago)
    return record


def check(told: list[events.Event]) -> list[str]:
    """The alarms of the event that a look brought about; fails if it brought about none. A second has passed since."""
    told.clear()
    JudgeAlarms.objects.update(changed_at=timezone.now() - timedelta(seconds=2))
    check_judging()
    (event,) = told
    assert isinstance(event, events.JudgingAlarmed)
    assert JudgeAlarms.objects.get().version == event.state.version
    return [alarm["kind"] for alarm in event.state.alarms]


def test_a_dead_judge_is_told_once_and_that_one_lives_again_too(
    contest: Contest, judges: list[str], told: list[events.Event]
) -> None:
    assert check_judging() == 0
    judges.clear()
    assert check(told) == ["no-judge"]
    assert check_judging() == 0, "it is known"
    judges.append("another")
    assert check_judging() == 0, "at most once a second"
    assert check(told) == []
    assert check_judging() == 0


def test_an_alarm_that_turned_into_another_is_not_taken_back_before_that_one_may_be_told(
    contest: Contest, problem: Problem, alice: User, judges: list[str], told: list[events.Event]
) -> None:
    submitted(problem, alice, timedelta(seconds=60))
    assert check(told) == ["queue-stuck"]
    JudgeAlarms.objects.update(changed_at=timezone.now() - timedelta(seconds=2))
    judges.clear()
    assert check_judging(tells_new=False) == 0, "it would say that all is well"
    assert check(told) == ["no-judge"]
    judges.append("another")
    Record.objects.all().delete()
    JudgeAlarms.objects.update(changed_at=timezone.now() - timedelta(seconds=2))
    assert check_judging(tells_new=False) == 1


def test_a_clock_that_was_set_back_by_an_hour_silences_no_alarm(
    contest: Contest, judges: list[str], told: list[events.Event]
) -> None:
    judges.clear()
    assert check_judging() == 1
    judges.append("another")
    JudgeAlarms.objects.update(changed_at=timezone.now() + timedelta(hours=1))
    assert check_judging() == 1
    assert JudgeAlarms.objects.get().changed_at < timezone.now() + timedelta(minutes=1)


def test_what_no_judge_takes_is_told_and_what_waits_because_judges_are_busy_is_not(
    contest: Contest, problem: Problem, alice: User, judges: list[str], told: list[events.Event]
) -> None:
    submitted(problem, alice, timedelta(seconds=10))
    assert check_judging() == 0, "an idle judge takes it in a second; ten are no alarm yet"
    submitted(problem, alice, timedelta(seconds=60))
    assert check(told) == ["queue-stuck"]
    assert claim_record("judge/0", QueueClass.LIVE) is not None
    Record.objects.filter(worker="").update(queued_at=timezone.now() - timedelta(seconds=60))
    assert check(told) == [], "they are at work"
    Record.objects.filter(worker="").update(queued_at=timezone.now() - timedelta(minutes=7))
    assert check(told) == ["queue-stuck"], "but too slow"
    assert "for 7 minutes" in JudgeAlarms.objects.get().alarms[0]["message"]


def test_judge_errors_stay_until_they_are_judged_again(
    contest: Contest, problem: Problem, alice: User, judges: list[str], told: list[events.Event]
) -> None:
    record = submitted(problem, alice, timedelta())
    claimed = claim_record("judge/0", QueueClass.LIVE)
    assert claimed is not None
    finish(claimed[0], Final(Verdict.JE, staff_message="The validator is broken."))
    assert check(told) == ["judge-errors"]
    assert str(record.pk) in JudgeAlarms.objects.get().alarms[0]["message"]
    assert reopen(Record.objects.get(pk=record.pk))
    assert check(told) == []


def test_only_contests_at_hand_are_looked_at_but_no_alarm_is_left_behind(
    contest: Contest, judges: list[str], told: list[events.Event]
) -> None:
    judges.clear()
    assert check(told) == ["no-judge"]
    contest.starts_at, contest.ends_at = (timezone.now() - timedelta(days=days) for days in (2, 1))
    contest.save()
    judges.append("judge")
    assert check(told) == []
    judges.clear()
    assert check_judging() == 0


def test_the_jurys_pages_say_it_and_nobody_elses(
    contest: Contest, grace: User, alice: User, judges: list[str], told: list[events.Event]
) -> None:
    judges.clear()
    check_judging()
    for path in ("/staff/contests/cup/", "/contests/cup/"):
        assert '<p data-alarm="no-judge">No judge is running.' in entered(grace).get(path).content.decode()
    assert "No judge is running" not in entered(alice).get("/contests/cup/").content.decode()
