"""Who is connected, away or behind: seen by each node, true across nodes, and news for the jury once a second."""

from __future__ import annotations

import asyncio
import time
from datetime import timedelta

import pytest
from asgiref.sync import sync_to_async
from django.db import transaction
from django.utils import timezone

from contest.models import Contest, User
from contest.ports import Presence
from contest.rules.phases import milliseconds
from contest.services.notices import post_notice
from realtime import runs
from realtime.log.jury import JuryNews
from realtime.models import LastSeen, NodeRun
from realtime.node import sweep
from realtime.node.node import Node
from realtime.presence import reporter
from realtime.presence.rows import Here, Key, bury_silent, changed_people, read_presence, report, withdraw
from realtime.runs import SILENT_AFTER_MS, moment
from realtime.tests.clients import Client, Sessions, eventually

PATH = "/ws/contests/cup/announcements"
NOW = timezone.now()

read = sync_to_async(read_presence)
post = sync_to_async(post_notice)


async def enter(sessions: Sessions, user: User, client: str = "document-1") -> Client:
    return await Client(PATH, await sessions.key_of(user), client=client).live()


def begin(node: str, here: dict[tuple[int, int], Here]) -> int:
    """A run of `node` that lives and has reported these people."""
    run = runs.beat(None, node, now_ms())
    assert report(run, here, (), has_written=False)
    return run


def now_ms() -> int:
    return milliseconds(timezone.now())


def fall_silent(run: int) -> None:
    runs.beat(run, "", now_ms() - SILENT_AFTER_MS - 1_000)


async def until(contest: Contest, user: User, is_so: str) -> Presence:
    """What is known of `user` once the attribute named `is_so` is set."""
    deadline = time.monotonic() + 8
    while True:
        known = (await read(contest.pk)).get(user.pk, Presence())
        if getattr(known, is_so) is not None:
            return known
        assert time.monotonic() < deadline, f"never {is_so}: {known}"
        await asyncio.sleep(0.05)


async def a_whole_round(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until the node has seen who is here now, and written down what was new."""
    see, looks = node.presence._see, 0

    def look() -> dict[Key, Here]:
        nonlocal looks
        looks += 1
        return see()

    with monkeypatch.context() as patch:
        patch.setattr(node.presence, "_see", look)
        await eventually(lambda: looks >= 2)  # it looks again only after it has written


@pytest.mark.slow
async def test_the_jury_hears_who_has_come_and_who_has_gone_and_since_when(
    live: Node,
    sessions: Sessions,
    contest: Contest,
    alice: User,
    bob: User,
    grace: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    jury = await enter(sessions, grace)
    first, second = await enter(sessions, alice), await enter(sessions, alice, "document-2")
    known = await until(contest, alice, "connected_since")
    assert (known.behind_since, known.disconnected_since) == (None, None)
    assert bob.pk not in await read(contest.pk)

    await first.leave()
    await eventually(lambda: len(live.consumers) == 2)
    await a_whole_round(live, monkeypatch)
    assert (await read(contest.pk))[alice.pk].connected_since, "one of her pages is still there"
    await second.leave()
    gone = await until(contest, alice, "disconnected_since")
    assert gone.connected_since is None
    told: dict[str, bool] = {}
    while told.get("alice") is not False:
        people = (await jury.until("event", "presence.changed"))["data"]["people"]
        told |= {each["user"]: each["connected"] for each in people}
    assert told["grace"], "she is connected herself"


@pytest.mark.slow
async def test_who_takes_nothing_in_is_behind_and_who_does_again_is_not(
    live: Node,
    sessions: Sessions,
    contest: Contest,
    alice: User,
    bob: User,
    grace: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sweep, "SEEN_WITHIN_MS", 200.0)
    monkeypatch.setattr(reporter, "BEHIND_AFTER", timedelta(seconds=0.5))
    hers, his = await enter(sessions, alice), await enter(sessions, bob)
    for client in (hers, his):
        await client.send({"type": "seen", "frames": len(client.received)})
    await post(contest, grace, title="Lunch", body="At noon.")
    for client in (hers, his):
        await client.until("event", "announcement.posted")
    await his.send({"type": "seen", "frames": len(his.received)})
    behind = await until(contest, alice, "behind_since")
    assert behind.connected_since, "she is connected, and yet has not said that she has seen it"
    assert (await read(contest.pk))[bob.pk].behind_since is None
    await hers.send({"type": "seen", "frames": len(hers.received)})
    deadline = time.monotonic() + 5
    while (await read(contest.pk))[alice.pk].behind_since is not None:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.05)


@pytest.mark.django_db(transaction=True)
def test_the_people_of_a_node_that_died_are_away_at_once_and_its_rows_go(
    contest: Contest, alice: User, bob: User
) -> None:
    everybody = {(contest.pk, alice.pk): Here(NOW), (contest.pk, bob.pk): Here(NOW)}
    run = begin("n1", everybody)
    begin("n2", {(contest.pk, bob.pk): Here(NOW)})
    assert bury_silent() == {}
    fall_silent(run)
    seen = read_presence(contest.pk)
    assert seen[alice.pk].connected_since is None
    assert seen[alice.pk].disconnected_since == moment(NodeRun.objects.get(pk=run).beat_ms)
    assert seen[bob.pk].connected_since, "he is connected over the other node"

    assert bury_silent() == {contest.pk: {alice.pk, bob.pk}}
    assert bury_silent() == {}
    assert read_presence(contest.pk) == seen, "the same is true without its rows"

    runs.beat(run, "n1", now_ms())
    assert not report(run, {}, (), has_written=True), "a node that was held for dead must say everything again"
    assert read_presence(contest.pk)[alice.pk].connected_since is None
    assert report(run, everybody, (), has_written=False)
    assert read_presence(contest.pk)[alice.pk].connected_since


@pytest.mark.slow
async def test_a_node_that_was_held_for_dead_but_lives_reports_everybody_again(
    live: Node, sessions: Sessions, contest: Contest, alice: User
) -> None:
    client = await enter(sessions, alice)
    await until(contest, alice, "connected_since")

    @sync_to_async
    @transaction.atomic
    def bury() -> dict[int, set[int]]:
        assert live.beats.run_id
        fall_silent(live.beats.run_id)
        return bury_silent()

    assert await bury() == {contest.pk: {alice.pk}}
    await until(contest, alice, "connected_since")
    await client.leave()


@pytest.mark.django_db(transaction=True)
def test_a_node_that_was_killed_and_started_again_under_its_name_has_only_the_people_who_came_back(
    contest: Contest, alice: User, bob: User
) -> None:
    killed = begin("n1", {(contest.pk, alice.pk): Here(NOW), (contest.pk, bob.pk): Here(NOW)})
    begin("n1", {(contest.pk, bob.pk): Here(NOW)})
    fall_silent(killed)
    assert bury_silent() == {contest.pk: {alice.pk, bob.pk}}
    seen = read_presence(contest.pk)
    assert (seen[alice.pk].connected_since, bool(seen[bob.pk].connected_since)) == (None, True)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("deleted", ["account", "contest"])
def test_what_was_deleted_while_somebody_was_connected_does_not_stop_the_report(
    contest: Contest, alice: User, bob: User, deleted: str
) -> None:
    other = Contest.objects.create(slug="other", title="Other", starts_at=NOW, ends_at=NOW + timedelta(hours=1))
    gone, his = (other.pk, alice.pk), (contest.pk, bob.pk)
    run = begin("n1", {gone: Here(NOW)})
    (alice if deleted == "account" else other).delete()
    assert report(run, {gone: Here(NOW, NOW), his: Here(NOW)}, (), has_written=False)
    assert set(read_presence(contest.pk)) == {bob.pk}
    assert report(run, {}, [gone, his], has_written=True)
    assert list(LastSeen.objects.values_list("user_id", flat=True)) == [bob.pk]
    assert JuryNews("presence.changed", changed_people)._write(gone[0], {alice.pk}), "it is not tried again for ever"


@pytest.mark.django_db(transaction=True)
def test_a_node_buried_late_does_not_take_back_when_its_people_were_seen_elsewhere(
    contest: Contest, alice: User
) -> None:
    hers = (contest.pk, alice.pk)
    dead, other = begin("n1", {hers: Here(NOW)}), begin("n2", {hers: Here(NOW)})
    fall_silent(dead)
    assert report(other, {}, [hers], has_written=True)
    seen_at = LastSeen.objects.get().at
    assert seen_at > moment(NodeRun.objects.get(pk=dead).beat_ms), "she was there after that one had died"
    assert bury_silent() == {contest.pk: {alice.pk}}
    assert LastSeen.objects.get().at == seen_at


@pytest.mark.django_db(transaction=True)
def test_of_two_nodes_the_better_one_counts(contest: Contest, alice: User) -> None:
    earlier = NOW - timedelta(minutes=1)
    first = begin("n1", {(contest.pk, alice.pk): Here(NOW, behind_since=NOW)})
    assert read_presence(contest.pk, [alice.pk])[alice.pk].behind_since == NOW
    second = begin("n2", {(contest.pk, alice.pk): Here(earlier)})
    assert read_presence(contest.pk, [alice.pk])[alice.pk] == Presence(connected_since=earlier)
    assert report(second, {}, [(contest.pk, alice.pk)], has_written=True)
    assert read_presence(contest.pk, [alice.pk])[alice.pk].behind_since == NOW
    withdraw(first)
    assert read_presence(contest.pk, [alice.pk])[alice.pk].disconnected_since
