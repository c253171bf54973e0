"""The streams of records: who is told what of whose."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from contest.models import Contest, User
from realtime.node.node import Node
from realtime.receivers import records as record_receivers
from realtime.tests.clients import Sessions
from realtime.tests.record_acts import LIST, enter, finish, judge_case, submit


@pytest.fixture(autouse=True)
def unthinned_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_receivers, "LIST_PERIOD_MS", 0)


async def test_a_contestant_follows_own_records_and_nobody_elses(
    live: Node, sessions: Sessions, contest: Contest, alice: User, bob: User
) -> None:
    hers, his = await enter(sessions, LIST, alice), await enter(sessions, LIST, bob)
    his_notices = await enter(sessions, "/ws/contests/cup/announcements", bob)
    record = await submit(contest, alice)
    await judge_case(record, 1)
    await finish(record)
    frames = [await hers.until("event", "record.updated") for _ in range(3)]
    assert [frame["data"]["status"] for frame in frames] == ["queued", "running", "final"]
    assert await his.is_quiet()
    assert await his_notices.is_quiet()


async def test_the_jury_follows_all_and_progress_only_of_watched_records(
    live: Node, sessions: Sessions, contest: Contest, alice: User, grace: User
) -> None:
    jury = await enter(sessions, LIST, grace)
    watched, other = await submit(contest, alice), await submit(contest, alice)
    for _ in range(2):
        await jury.until("event", "record.updated")
    reply = await jury.command(1, "watch", {"ids": [watched.pk]})
    assert [each["id"] for each in reply["data"]["records"]] == [watched.pk]
    await judge_case(other, 1)
    await judge_case(watched, 1)
    await finish(other)
    await finish(watched)
    running = await jury.until("event", "record.updated")
    assert (running["data"]["id"], running["data"]["status"]) == (watched.pk, "running")
    assert running["after"] < running["seq"] - 1, "the unwatched step was left out, and the number says so"
    finals = [await jury.until("event", "record.updated") for _ in range(2)]
    assert [frame["data"]["id"] for frame in finals] == [other.pk, watched.pk]


async def test_watching_somebody_elses_record_is_refused(
    live: Node, sessions: Sessions, contest: Contest, alice: User, bob: User
) -> None:
    record = await submit(contest, alice)
    his = await enter(sessions, LIST, bob)
    reply = await his.command(1, "watch", {"ids": [record.pk]})
    assert (reply["ok"], reply["error"]["code"]) == (False, "forbidden")


async def test_after_the_end_everybody_entitled_follows_all_records(
    live: Node, sessions: Sessions, contest: Contest, alice: User, bob: User
) -> None:
    record = await submit(contest, alice)
    await finish(record)
    his = await enter(sessions, LIST, bob)
    assert set(his.cursor) == {"me"}
    now = timezone.now()
    await Contest.objects.aupdate(starts_at=now - timedelta(hours=5), ends_at=now - timedelta(seconds=1))
    # The scheduler finds that the end has come; his rights grow on the open connection.
    snapshot = await his.until("snapshot")
    assert set(snapshot["cursor"]) == {"me", "all"}
    assert [each["id"] for each in snapshot["data"]["records"]] == [record.pk]


async def test_an_owner_with_extra_time_sees_more_when_the_own_end_has_come_and_all_when_the_last_has(
    live: Node, sessions: Sessions, contest: Contest, alice: User, bob: User
) -> None:
    record = await submit(contest, alice)
    await finish(record)
    now = timezone.now()
    moved = {"starts_at": now - timedelta(hours=5), "ends_at": now - timedelta(seconds=7)}
    await Contest.objects.aupdate(feedback="none", **moved)
    await contest.participations.filter(user=alice).aupdate(extra_time_s=10)
    page = await enter(sessions, f"/ws/records/{record.pk}", alice)
    his = await enter(sessions, LIST, bob)
    first = next(frame for frame in page.received if frame["type"] == "snapshot")
    assert first["data"]["cases"] == [], "she competes yet"
    assert set(his.cursor) == {"me"}, "and somebody does"
    assert (await page.until("snapshot"))["data"]["record"]["verdict"] == "AC"
    assert set((await his.until("snapshot"))["cursor"]) == {"me", "all"}
