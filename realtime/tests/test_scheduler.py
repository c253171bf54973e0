"""What happens because time passes happens once, however many nodes look."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone

from contest import ports
from contest.models import Contest, JudgeAlarms, User
from contest.services import sessions
from contest.services.records import submit
from contest.services.standings import touch_standings
from realtime.clock import now_ms
from realtime.log.reading import read_heads
from realtime.log.retention import prune_log
from realtime.models import LogEvent
from realtime.node import scheduler
from realtime.tests.reading import entries_after
from realtime.wire.protocol import Cursor

pytestmark = pytest.mark.django_db(transaction=True)


def told(topic: str) -> list[str]:
    cursor = Cursor(read_heads([topic])[topic].epoch, 0)
    return [entry.name for entry in entries_after(topic, cursor)]


def test_a_start_is_announced_once_by_many_nodes(contest: Contest) -> None:
    announced: list[int] = []

    def look() -> None:
        try:
            announced.append(scheduler.announce_reached_boundaries(contest.starts_at + timedelta(seconds=1)))
        finally:
            connection.close()

    nodes = [threading.Thread(target=look) for _ in range(4)]
    for node in nodes:
        node.start()
    for node in nodes:
        node.join(30)
    assert sorted(announced) == [0, 0, 0, 1]
    assert told(f"c{contest.pk}") == ["contest.changed"]
    contest.refresh_from_db()
    assert contest.version == 2, "a version of its own, or clients would not look at it"


def test_before_it_comes_nothing_is_announced(contest: Contest) -> None:
    assert scheduler.announce_reached_boundaries(contest.starts_at - timedelta(seconds=1)) == 0


def test_freeze_and_end_are_announced_and_a_moved_end_again(contest: Contest) -> None:
    contest.freeze_at = contest.ends_at - timedelta(minutes=10)
    contest.save()
    assert scheduler.announce_reached_boundaries(contest.ends_at + timedelta(seconds=1)) == 2
    contest.ends_at += timedelta(minutes=5)
    contest.save()
    assert scheduler.announce_reached_boundaries(contest.ends_at + timedelta(seconds=1)) == 1


def give(contest: Contest, user: User, extra_time_s: int) -> None:
    contest.participations.filter(user=user).update(extra_time_s=extra_time_s)


def test_the_ends_of_those_with_extra_time_are_told_too_once_each(contest: Contest, alice: User, bob: User) -> None:
    give(contest, alice, 600)
    give(contest, bob, 24 * 3600)
    end, extra = contest.ends_at, timedelta(minutes=10)
    assert scheduler.announce_reached_boundaries(end + extra - timedelta(seconds=1)) == 1, "the contest's own end"
    assert scheduler.announce_reached_boundaries(end + extra) == 1, "alice's, to the second"
    assert scheduler.announce_reached_boundaries(end + timedelta(minutes=20)) == 0
    assert scheduler.announce_reached_boundaries(end + timedelta(days=1, minutes=1)) == 1, "the last one's"
    assert scheduler.announce_reached_boundaries(end + timedelta(days=1, minutes=2)) == 0
    assert told(f"c{contest.pk}") == ["contest.changed"] * 3


def test_ends_that_differ_by_seconds_cost_one_event(contest: Contest, alice: User, bob: User) -> None:
    give(contest, alice, 301)
    give(contest, bob, 304)
    assert scheduler.announce_reached_boundaries(contest.ends_at) == 1
    assert scheduler.announce_reached_boundaries(contest.ends_at + timedelta(seconds=304)) == 0
    assert scheduler.announce_reached_boundaries(contest.ends_at + timedelta(seconds=305)) == 1
    assert told(f"c{contest.pk}") == ["contest.changed"] * 2


def test_many_ends_that_came_while_no_node_ran_cost_one_event(contest: Contest, alice: User, bob: User) -> None:
    give(contest, alice, 600)
    give(contest, bob, 1200)
    assert scheduler.announce_reached_boundaries(contest.ends_at) == 1
    assert scheduler.announce_reached_boundaries(contest.ends_at + timedelta(minutes=30)) == 2
    assert told(f"c{contest.pk}") == ["contest.changed"] * 2


def test_standings_are_told_by_version_and_once(contest: Contest) -> None:
    for _ in range(3):
        with transaction.atomic():
            touch_standings(contest)
    assert scheduler.announce_standings() == 1
    assert scheduler.announce_standings() == 0
    assert told(f"c{contest.pk}") == ["standings.changed"]


def test_while_frozen_everybody_is_told_that_there_was_an_attempt_and_nothing_of_it(
    contest: Contest, alice: User
) -> None:
    Contest.objects.update(freeze_at=timezone.now() - timedelta(minutes=1))
    submit(contest.problems.get(), alice, language="python", source="print(3)")
    assert scheduler.announce_standings() == 1
    assert told(f"c{contest.pk}") == ["standings.changed"]
    assert LogEvent.objects.get(topic__key=f"c{contest.pk}").data == '{"version":1}'


def test_what_is_beyond_its_retention_is_pruned(contest: Contest) -> None:
    scheduler.announce_reached_boundaries(contest.starts_at + timedelta(seconds=1))
    LogEvent.objects.update(appended_at=timezone.now() - timedelta(days=15))
    assert prune_log() == 1
    assert read_heads([f"c{contest.pk}"])[f"c{contest.pk}"].floor == 1


async def test_ended_sessions_are_among_what_is_pruned(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[object] = []

    async def note(period_s: float, work: object) -> None:
        if period_s == scheduler.PRUNE_PERIOD_S:
            done.append(work)

    monkeypatch.setattr(scheduler, "_every", note)
    await scheduler.run()
    assert sessions.forget_ended_sessions in done


def test_a_process_that_has_just_started_takes_alarms_back_and_gives_new_ones_time(
    contest: Contest, monkeypatch: pytest.MonkeyPatch
) -> None:
    judges = [0]
    monkeypatch.setattr(ports, "_judge_counter", lambda: judges[0])
    look_early, look_later = (scheduler.judging_look(now_ms() - age_s * 1000) for age_s in (1, 20))
    assert look_early() == 0, "its judge may be about to start"
    assert look_later() == 1
    JudgeAlarms.objects.update(changed_at=timezone.now() - timedelta(seconds=2))
    judges[0] = 1
    assert look_early() == 1, "a judge lives again, so the alarm is over"
    assert JudgeAlarms.objects.get().alarms == []
