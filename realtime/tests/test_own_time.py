"""From reports to what is told: gaps with their reasons, outages that the site notes, steps of the clock."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from contest.models import Contest, Record, User
from contest.ports import read_own_times
from contest.rules.own_time import OwnTime
from contest.rules.phases import milliseconds
from realtime.log import topics
from realtime.models import LogEvent, NodeRun, Outage, TimerClock, TimerSession, TimerStretch
from realtime.node.beats import Beats, note_judge_outage
from realtime.node.node import Node
from realtime.tests.clients import Client, Sessions
from realtime.tests.clocks import FakeClock
from realtime.timer.forgetting import SITE_HISTORY_MS, forget_history, forget_sessions, forget_site_history
from realtime.timer.outages import Kind
from realtime.timer.own_time import read_outages

PATH = "/ws/contests/cup/timer"


async def enter(sessions: Sessions, user: User, client: str = "document-1", **hello: Any) -> Client:
    return await Client(PATH, await sessions.key_of(user), client=client).live(**hello)


async def report(client: Client, client_seq: int, foreground_ms: int, foreground: bool = True) -> Any:
    data = {"foreground": foreground, "foreground_ms": foreground_ms}
    reply = await client.command(client_seq, "report", data)
    return reply["data"]["accumulated_ms"]


@sync_to_async
def told(contest: Contest, user: User) -> OwnTime:
    participation = contest.participations.get(user=user)
    return read_own_times(contest, [participation])[participation.pk]


async def test_gaps_are_told_with_the_reasons_that_pages_gave(
    live: Node, sessions: Sessions, contest: Contest, alice: User, clock: FakeClock
) -> None:
    client = await enter(sessions, alice)
    await report(client, 1, 0)
    clock.forward(10_000)
    await report(client, 2, 10_000, foreground=False)
    clock.forward(20_000)
    await report(client, 3, 10_000)
    clock.forward(10_000)
    assert await report(client, 4, 20_000) == 20_000
    clock.forward(60_000)
    again = await enter(sessions, alice, cause="offline", gap_ms=50_000)
    await report(again, 5, 80_000)
    clock.forward(10_000)
    assert await report(again, 6, 90_000) == 30_000
    clock.forward(9_000)
    other = await enter(sessions, alice, "document-2")
    await report(other, 1, 0)
    clock.forward(10_000)
    assert await report(other, 2, 10_000) == 40_000
    await NodeRun.objects.aupdate(beat_ms=clock.now_ms)  # the node has lived all the time

    time = await told(contest, alice)
    gaps = [(gap.reason.value, gap.length_ms) for gap in time.gaps[1:]]
    assert gaps == [("hidden", 20_000), ("offline", 60_000), ("unknown", 9_000)]
    assert time.gaps[0].reason.value == "absent"
    assert [each.counted_ms for each in time.stretches] == [10_000, 10_000, 10_000, 10_000]
    assert time.accumulated_ms == 40_000
    assert time.by_site_ms == 0


async def test_a_node_that_died_is_blamed_for_the_gap_of_its_contestants(
    live: Node, sessions: Sessions, contest: Contest, alice: User, clock: FakeClock
) -> None:
    client = await enter(sessions, alice)
    await report(client, 1, 0)
    clock.forward(10_000)
    await report(client, 2, 10_000)
    now_ms = clock.now_ms
    await NodeRun.objects.all().adelete()
    await NodeRun.objects.acreate(node=live.name, started_ms=now_ms - 60_000, beat_ms=now_ms + 2_000)
    clock.forward(90_000)
    await NodeRun.objects.acreate(node="another", started_ms=now_ms + 40_000, beat_ms=clock.now_ms)
    again = await enter(sessions, alice, cause="close")
    await report(again, 3, 100_000)
    clock.forward(10_000)
    await report(again, 4, 110_000)

    gap = (await told(contest, alice)).gaps[-1]
    # Down from its last beat to the start of the other, and 30 s to be back there.
    assert (gap.reason.value, gap.length_ms, gap.by_site_ms) == ("node", 90_000, 68_000)


async def test_a_step_of_the_clock_costs_one_interval_and_alarms_the_jury(
    clock: FakeClock, live: Node, sessions: Sessions, contest: Contest, alice: User, caplog: pytest.LogCaptureFixture
) -> None:
    client = await enter(sessions, alice)
    await report(client, 1, 0)
    for seq in (2, 3):
        clock.forward(10_000)
        await report(client, seq, (seq - 1) * 10_000)
    clock.forward(10_000)
    clock.step(-3_600_000 // 2)
    assert await report(client, 4, 30_000) == 20_000, "this interval is lost"
    clock.forward(10_000)
    assert await report(client, 5, 40_000) == 30_000, "and no other"
    assert (await TimerClock.objects.aget()).steps == 1
    assert "clock has stepped by -1800000 ms" in caplog.text
    alarm = await LogEvent.objects.aget(topic__key=topics.of_jury(contest.pk), name="timer.alarm")
    assert '"step_ms":-1800000' in alarm.data.replace(" ", "")


# --- What nodes leave behind ----------------------------------------------------------------------


def test_a_node_beats_and_says_when_it_stops(db: None, clock: FakeClock) -> None:
    beats = Beats("n1")
    beats.beat()
    clock.forward(2_000)
    beats.beat()
    run = NodeRun.objects.get()
    assert (run.node, run.beat_ms - run.started_ms, run.stopped_ms) == ("n1", 2_000, None)
    clock.forward(1_000)
    beats._stop()
    assert NodeRun.objects.get().stopped_ms == run.beat_ms + 1_000


@pytest.mark.parametrize(("stood_still_ms", "kind", "node"), [(0, "database", "n1"), (25_000, "stall", "n1")])
def test_a_long_silence_is_noted_as_what_it_was(
    db: None, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, stood_still_ms: int, kind: str, node: str
) -> None:
    monkeypatch.setattr("realtime.node.beats.now_ms", lambda: clock.monotonic_ms)
    beats = Beats("n1")
    beats.beat()
    clock.forward(14_000)
    beats.beat()
    assert not Outage.objects.exists(), "a few beats late is nothing to note"
    clock.forward(30_000)
    beats._stood_still_ms = stood_still_ms
    beats.beat()
    outage = Outage.objects.get()
    assert (outage.kind, outage.node, outage.ends_ms - outage.starts_ms) == (kind, node, 30_000)


@pytest.mark.django_db(transaction=True)
def test_a_node_says_that_it_stops_even_if_the_clock_has_just_stepped(contest: Contest, clock: FakeClock) -> None:
    beats = Beats("n1")
    beats.beat()
    clock.step(-60_000)
    beats._stop()
    assert TimerClock.objects.get().steps == 1, "it was seen first by this reading"
    assert NodeRun.objects.get().stopped_ms is not None


@pytest.mark.django_db
def test_what_came_after_the_last_window_is_not_looked_at() -> None:
    NodeRun.objects.create(node="n1", started_ms=0, beat_ms=100_000)
    NodeRun.objects.create(node="n1", started_ms=150_000, beat_ms=900_000)
    NodeRun.objects.create(node="n1", started_ms=600_000, beat_ms=700_000)
    Outage.objects.create(kind=Kind.STALL, node="n1", starts_ms=600_000, ends_ms=650_000)
    during = read_outages(50_000, 500_000, 10_000_000)
    assert [(each.starts_ms, each.ends_ms) for each in during] == [(100_000, 150_000)]


def test_old_runs_and_outages_are_forgotten_and_of_too_many_the_oldest(
    db: None, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_ms = clock.now_ms
    for age_ms in (SITE_HISTORY_MS + 1_000, 4_000, 3_000, 2_000):
        NodeRun.objects.create(node="n1", started_ms=0, beat_ms=now_ms - age_ms)
        Outage.objects.create(kind=Kind.STALL, starts_ms=0, ends_ms=now_ms - age_ms)
    assert forget_site_history() == 2
    assert forget_site_history() == 0
    monkeypatch.setattr("realtime.timer.forgetting.SITE_HISTORY_ROWS", 2)
    assert forget_site_history() == 2
    assert sorted(NodeRun.objects.values_list("beat_ms", flat=True)) == [now_ms - 3_000, now_ms - 2_000]
    assert Outage.objects.count() == 2


def test_a_judge_is_missed_when_submissions_wait_and_nobody_judges(contest: Contest, alice: User) -> None:
    now = timezone.now()
    contest.starts_at = now - timedelta(hours=1)
    problem = contest.problems.get()
    assert problem.package is not None
    participation = contest.participations.get(user=alice)
    asked_at = now - timedelta(seconds=100)
    record = Record.objects.create(
        contest=contest,
        problem=problem,
        package=problem.package,
        user=alice,
        participation=participation,
        language="cpp",
        source="x",
        source_sha256="0" * 64,
        queued_at=asked_at,
        submitted_at=asked_at,
    )
    asked_ms = milliseconds(asked_at)
    note_judge_outage(asked_ms + 29_000)
    assert not Outage.objects.exists(), "it may only be busy"
    Record.objects.update(worker="j1", lease_expires_at=now + timedelta(minutes=1))
    note_judge_outage(asked_ms + 40_000)
    assert not Outage.objects.exists(), "somebody judges"
    Record.objects.update(worker="", lease_expires_at=None)
    for waited_ms in (60_000, 65_000, 70_000):
        note_judge_outage(asked_ms + waited_ms)
    outage = Outage.objects.get()
    assert (outage.kind, outage.starts_ms, outage.ends_ms) == (Kind.JUDGE, asked_ms, asked_ms + 70_000)
    judged_at = asked_at + timedelta(seconds=50)
    Record.objects.filter(pk=record.pk).update(judged_at=judged_at, status="final", verdict="AC")
    time = read_own_times(contest, [participation])[participation.pk]
    assert (time.waits, time.by_site_ms) == (((asked_ms, asked_ms + 50_000),), 50_000)


def test_documents_that_are_gone_are_forgotten(contest: Contest, alice: User) -> None:
    participation = contest.participations.get(user=alice)
    now_ms = milliseconds(timezone.now())
    old, late = now_ms - 700_000, now_ms - 500_000
    for client, attached_ms, arrived_ms in [("a", old, None), ("b", old, old), ("c", old, late), ("d", late, None)]:
        TimerSession.objects.create(
            client=client, participation=participation, attached_ms=attached_ms, arrived_ms=arrived_ms
        )
    assert forget_sessions() == 2
    assert set(TimerSession.objects.values_list("client", flat=True)) == {"c", "d"}


def test_of_a_long_history_the_newest_part_is_kept_and_no_gap_is_made_of_the_rest(
    contest: Contest, alice: User, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("forgetting", "own_time"):
        monkeypatch.setattr(f"realtime.timer.{module}.KEPT", 3)
    participation = contest.participations.get(user=alice)
    start_ms = milliseconds(contest.starts_at)
    for minute in range(5):
        begun_ms = start_ms + minute * 60_000
        TimerStretch.objects.create(
            participation=participation, starts_ms=begun_ms, ends_ms=begun_ms + 30_000, counted_ms=30_000
        )
    assert forget_history() == 2
    assert forget_history() == 0
    time = read_own_times(contest, [participation])[participation.pk]
    assert [each.starts_ms for each in time.stretches] == [start_ms + minute * 60_000 for minute in (2, 3, 4)]
    assert [gap.starts_ms for gap in time.gaps] == [start_ms + minute * 60_000 + 30_000 for minute in (2, 3, 4)]
