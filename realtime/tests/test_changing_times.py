"""Changed times, extra time and pauses, from a service's call to the frames of those whom they concern."""

from __future__ import annotations

from datetime import timedelta

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from contest.models import Contest, Record, User
from contest.models.queue import Status
from contest.rules.phases import milliseconds
from contest.services.pauses import pause, resume
from contest.services.records import submit
from contest.services.rejudging import rejudge_record
from contest.services.schedule import extend, grant_extra_time
from contest.services.settings import set_visibility
from realtime.node import scheduler
from realtime.node.node import Node
from realtime.tests.clients import Client, Sessions
from realtime.timer.rows import windows_of


async def enter(sessions: Sessions, user: User, stream: str = "announcements") -> Client:
    return await Client(f"/ws/contests/cup/{stream}", await sessions.key_of(user)).live()


async def test_an_extension_and_a_pause_reach_everybody(
    live: Node, sessions: Sessions, contest: Contest, alice: User, bob: User, grace: User
) -> None:
    clients = [await enter(sessions, user) for user in (alice, bob, grace)]
    await sync_to_async(extend)(contest, grace, 15)
    await sync_to_async(pause)(contest, grace)
    for client in clients:
        extended = await client.until("event", "contest.changed")
        paused = await client.until("event", "contest.changed")
        assert (extended["topic"], extended["data"]["paused_at"]) == ("contest", None)
        assert (paused["data"]["state"], paused["data"]["paused_at"] is not None) == ("paused", True)


async def test_extra_time_reaches_that_contestant_alone(
    live: Node, sessions: Sessions, contest: Contest, alice: User, bob: User, grace: User
) -> None:
    hers, his = await enter(sessions, alice), await enter(sessions, bob)
    participation = await contest.participations.aget(user=alice)
    await sync_to_async(grant_extra_time)(participation, grace, 600, "power cut")
    told = await hers.until("event", "participation.changed")
    assert (told["topic"], told["data"]) == ("me", {"version": 2, "extra_time_ms": 600_000})
    await sync_to_async(extend)(contest, grace, 1)
    await his.until("event", "contest.changed")
    assert [event["name"] for event in his.events()] == ["contest.changed"]
    again = await Client("/ws/contests/cup/announcements", await sessions.key_of(alice), client="new").live()
    snapshot = next(frame for frame in again.received if frame["type"] == "snapshot")
    assert snapshot["data"]["participation"] == told["data"]


async def test_a_reopened_record_is_told_to_its_owner_and_the_jury(
    live: Node, sessions: Sessions, contest: Contest, alice: User, bob: User, grace: User
) -> None:
    def final_record() -> Record:
        record = submit(contest.problems.get(), alice, language="c", source="x")
        Record.objects.filter(pk=record.pk).update(status=Status.FINAL, verdict="WA")
        return record

    record = await sync_to_async(final_record)()
    hers, his, jury = [await enter(sessions, user) for user in (alice, bob, grace)]
    await sync_to_async(rejudge_record)(record, grace)
    for client, topic in ((hers, "me"), (jury, "jury")):
        told = await client.until("event", "record.reopened")
        assert (told["topic"], told["data"]["id"], told["data"]["status"]) == (topic, record.pk, "queued")
    await sync_to_async(extend)(contest, grace, 1)
    await his.until("event", "contest.changed")
    assert not his.events("record.reopened")


async def test_a_contest_made_private_after_its_end_closes_the_records_of_those_outside(
    live: Node, sessions: Sessions, contest: Contest, alice: User, mallory: User, grace: User
) -> None:
    def ended_record() -> Record:
        record = submit(contest.problems.get(), alice, language="c", source="x")
        Record.objects.filter(pk=record.pk).update(status=Status.FINAL, verdict="WA", judged_at=timezone.now())
        Contest.objects.update(ends_at=timezone.now())
        return record

    record = await sync_to_async(ended_record)()
    outside_ = await Client(f"/ws/records/{record.pk}", await sessions.key_of(mallory)).live()
    inside = await Client(f"/ws/records/{record.pk}", await sessions.key_of(alice)).live()
    await sync_to_async(set_visibility)(contest, grace, "private")
    assert await outside_.until_closed() == 4003
    assert await inside.is_quiet()


# --- Pauses ---------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_own_time_counts_up_to_where_the_clock_stands_and_again_when_it_goes_on(
    contest: Contest, alice: User, grace: User
) -> None:
    participation = contest.participations.get(user=alice)

    def windows() -> tuple[tuple[int, int], ...]:
        participation.refresh_from_db()
        return windows_of(participation)

    start_ms = milliseconds(contest.starts_at)
    paused = pause(contest, grace)
    assert paused.paused_at is not None
    assert windows() == ((start_ms, milliseconds(paused.paused_at)),)
    on = resume(contest, grace)
    ((began_ms, ended_ms),) = on.pauses
    assert windows() == ((start_ms, began_ms), (ended_ms, milliseconds(on.ends_at)))


@pytest.mark.django_db
def test_the_end_that_passes_while_the_contest_is_paused_is_no_boundary(contest: Contest, grace: User) -> None:
    pause(contest, grace)
    end = contest.ends_at + timedelta(seconds=1)
    assert scheduler.announce_reached_boundaries(end) == 0
    resume(contest, grace)
    contest.refresh_from_db()
    assert scheduler.announce_reached_boundaries(contest.ends_at + timedelta(seconds=1)) == 1
