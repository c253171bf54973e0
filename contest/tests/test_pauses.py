"""A paused contest stands still for everybody, and costs nobody any time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from contest import events
from contest.access import rights_in, schedule_of
from contest.models import Contest, Record, User
from contest.models.queue import Status
from contest.rules.phases import Phase, Schedule, milliseconds
from contest.selectors.contests import contest_list
from contest.selectors.standings import View, board
from contest.services.errors import Refused
from contest.services.pauses import pause, resume
from contest.services.records import submit
from contest.services.schedule import change_schedule, end_now, extend
from contest.services.selftests import start_run

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def paused_since(contest: Contest, ago: timedelta) -> Contest:
    """The contest as it would be had it been paused `ago`."""
    Contest.objects.filter(pk=contest.pk).update(paused_at=timezone.now() - ago)
    contest.refresh_from_db()
    return contest


# --- The rule -------------------------------------------------------------------------------------


def test_the_clock_stands_still_in_a_pause_and_the_phase_says_so() -> None:
    schedule = Schedule(NOON, NOON + 60 * MINUTE, NOON + 50 * MINUTE, paused_at=NOON + 20 * MINUTE)
    phases = [schedule.phase_at(NOON + minutes * MINUTE) for minutes in (-1, 10, 20, 21, 55, 500)]
    assert phases == [Phase.COMING, Phase.RUNNING, Phase.RUNNING, Phase.PAUSED, Phase.PAUSED, Phase.PAUSED]
    assert {schedule.remaining(NOON + minutes * MINUTE) for minutes in (20, 21, 500)} == {40 * MINUTE}
    assert schedule.elapsed(NOON + 500 * MINUTE) == 20 * MINUTE


def test_elapsed_time_leaves_out_what_of_each_pause_lies_before_the_moment() -> None:
    pauses = ((NOON + 10 * MINUTE, NOON + 15 * MINUTE), (NOON + 30 * MINUTE, NOON + 50 * MINUTE))
    schedule = Schedule(NOON, NOON + 90 * MINUTE, pauses=pauses)
    elapsed = [schedule.elapsed(NOON + minutes * MINUTE) / MINUTE for minutes in (-5, 5, 12, 20, 40, 60)]
    assert elapsed == [-5, 5, 10, 15, 25, 35]


def test_the_clock_runs_between_pauses_until_ones_own_end() -> None:
    pauses = ((NOON + 10 * MINUTE, NOON + 15 * MINUTE), (NOON + 30 * MINUTE, NOON + 50 * MINUTE))
    schedule = Schedule(NOON, NOON + 90 * MINUTE, pauses=pauses)

    def windows(schedule: Schedule, extra: timedelta) -> list[tuple[float, float]]:
        return [((a - NOON) / MINUTE, (b - NOON) / MINUTE) for a, b in schedule.windows(extra)]

    assert windows(schedule, 5 * MINUTE) == [(0, 10), (15, 30), (50, 95)]
    paused = Schedule(NOON, NOON + 90 * MINUTE, pauses=pauses[:1], paused_at=pauses[1][0])
    assert windows(paused, 5 * MINUTE) == [(0, 10), (15, 30)]
    assert windows(Schedule(NOON, NOON + 12 * MINUTE, pauses=pauses), timedelta(0)) == [(0, 10)]


# --- The services ---------------------------------------------------------------------------------


@pytest.mark.django_db
def test_while_paused_nothing_can_be_sent_and_the_refusal_says_why(contest: Contest, alice: User, grace: User) -> None:
    problem = contest.problems.get()
    pause(contest, grace, "fire alarm")
    problem.contest.refresh_from_db()
    with pytest.raises(Refused, match="paused"):
        submit(problem, alice, language="c", source="x")
    with pytest.raises(Refused, match="paused"):
        start_run(problem.contest, alice, language="c", source="x", stdin="", command_key="k")
    assert rights_in(problem.contest, alice).may_see_problems
    resume(contest, grace)
    problem.contest.refresh_from_db()
    submit(problem, alice, language="c", source="x")


@pytest.mark.django_db
def test_going_on_moves_end_and_coming_freeze_by_the_length_of_the_pause(contest: Contest, grace: User) -> None:
    contest.freeze_at = contest.ends_at - 60 * MINUTE
    contest.save()
    ends_at, freeze_at = contest.ends_at, contest.freeze_at
    paused_since(contest, 30 * MINUTE)
    on = resume(contest, grace)
    assert on.paused_at is None
    assert timedelta(0) <= on.ends_at - ends_at - 30 * MINUTE < timedelta(seconds=5)
    assert on.freeze_at is not None
    assert on.freeze_at - freeze_at == on.ends_at - ends_at
    (length_ms,) = [end - start for start, end in on.pauses]
    assert on.ends_at - ends_at == timedelta(milliseconds=length_ms)


@pytest.mark.django_db
def test_a_freeze_that_had_come_does_not_move(contest: Contest, grace: User) -> None:
    contest.freeze_at = timezone.now() - 45 * MINUTE
    contest.save()
    paused_since(contest, 30 * MINUTE)
    assert resume(contest, grace).freeze_at == contest.freeze_at


@pytest.mark.django_db
def test_pausing_and_going_on_twice_is_once_and_each_is_told_and_noted(
    contest: Contest, grace: User, told: list[events.Event]
) -> None:
    versions = [action(contest, grace).version for action in (pause, pause, resume, resume)]
    assert versions == [2, 2, 3, 3]
    assert [type(event).__name__ for event in told] == ["ContestChanged", "StandingsChanged"] * 2
    assert contest.audit.count() == 2


@pytest.mark.django_db
def test_only_what_runs_can_be_paused_and_only_by_staff(contest: Contest, grace: User, alice: User) -> None:
    with pytest.raises(Refused):
        pause(contest, alice)
    end_now(contest, grace)
    with pytest.raises(Refused, match="running"):
        pause(contest, grace)


@pytest.mark.django_db
def test_a_paused_contest_is_extended_and_ended_but_its_times_are_not_typed_anew(contest: Contest, grace: User) -> None:
    paused_since(contest, 30 * MINUTE)
    extended = extend(contest, grace, 10)
    assert extended.ends_at - contest.ends_at == 10 * MINUTE
    with pytest.raises(Refused, match="paused"):
        change_schedule(contest, grace, starts_at=contest.starts_at, ends_at=contest.ends_at, freeze_at=None)
    ended = end_now(contest, grace)
    assert (ended.paused_at, len(ended.pauses)) == (None, 1)
    assert rights_in(ended, grace).phase is Phase.ENDED


@pytest.mark.django_db
def test_a_paused_contest_whose_end_has_passed_on_the_wall_is_listed_as_running(contest: Contest, grace: User) -> None:
    now = timezone.now()
    times = {"starts_at": now - 60 * MINUTE, "paused_at": now - 30 * MINUTE, "ends_at": now - 10 * MINUTE}
    Contest.objects.filter(pk=contest.pk).update(**times)
    found = contest_list(grace, now)
    assert [(row.contest, row.phase) for row in found.running] == [(contest, Phase.PAUSED)]
    assert found.past == []


@pytest.mark.django_db
def test_a_pause_costs_no_penalty(contest: Contest, alice: User, grace: User) -> None:
    start = contest.starts_at
    began, ended = start + 20 * MINUTE, start + 50 * MINUTE
    contest.pauses = [[milliseconds(began), milliseconds(ended)]]
    contest.save()
    record = submit(contest.problems.get(), alice, language="c", source="x")
    solved = {"submitted_at": start + 55 * MINUTE, "status": Status.FINAL, "verdict": "AC"}
    Record.objects.filter(pk=record.pk).update(**solved)
    contest.refresh_from_db()
    assert schedule_of(contest).elapsed(start + 55 * MINUTE) == 25 * MINUTE
    assert [row.penalty for row in board(contest, View.FULL).rows] == [25]  # type: ignore[union-attr]
