"""The streams of records and of one record: who is told what, and how a record's stream ends."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from channels.db import database_sync_to_async
from django.db import transaction
from django.utils import timezone

from contest.events import RecordFinished, RecordProgressed, RecordReopened, RecordSubmitted, publish
from contest.models import Contest, Problem, Record, RecordCase, User
from contest.models.queue import Status, Verdict
from contest.services import registration
from realtime.clock import now_ms
from realtime.consumers import record as record_consumer
from realtime.log.append import append
from realtime.log.topics import of_record_in_full
from realtime.node import sweep
from realtime.node.node import Node
from realtime.receivers import records as record_receivers
from realtime.tests.clients import Client, Sessions, hello
from realtime.wire import credit

LIST = "/ws/contests/cup/records"


@pytest.fixture(autouse=True)
def unthinned_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_receivers, "LIST_PERIOD_MS", 0)


@database_sync_to_async
def submit(contest: Contest, user: User) -> Record:
    problem = Problem.objects.select_related("package").get(contest=contest)
    assert problem.package is not None
    with transaction.atomic():
        record = Record.objects.create(
            contest=contest,
            problem=problem,
            package=problem.package,
            user=user,
            participation=contest.participations.filter(user=user).first(),
            language="cpp",
            source="int main() {}",
            source_sha256="0" * 64,
            queued_at=timezone.now(),
            submitted_at=timezone.now(),
            cases_total=2,
        )
        publish(RecordSubmitted(record))
    return record


def _case(record: Record, index: int, verdict: str) -> RecordCase:
    return RecordCase.objects.create(record=record, attempt=0, index=index, verdict=verdict, time_ms=5, memory_kb=1000)


@database_sync_to_async
def judge_case(record: Record, index: int, verdict: str = Verdict.AC) -> None:
    with transaction.atomic():
        record.status, record.cases_done = Status.RUNNING, index
        record.version += 1
        record.save()
        publish(RecordProgressed(record, (_case(record, index, verdict),)))


@database_sync_to_async
def finish(record: Record, verdict: str = Verdict.AC) -> None:
    with transaction.atomic():
        record.status, record.verdict, record.judged_at = Status.FINAL, verdict, timezone.now()
        record.version += 1
        record.save()
        publish(RecordFinished(record))


@database_sync_to_async
def reopen(record: Record) -> None:
    with transaction.atomic():
        record.status, record.verdict, record.judged_at = Status.QUEUED, "", None
        record.version += 1
        record.save()
        publish(RecordReopened(record))


async def enter(sessions: Sessions, path: str, user: User, client: str = "document-1", **hello: Any) -> Client:
    return await Client(path, await sessions.key_of(user), client=client).live(**hello)


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


async def test_one_record_is_followed_case_by_case(
    live: Node, sessions: Sessions, contest: Contest, alice: User
) -> None:
    record = await submit(contest, alice)
    page = await enter(sessions, f"/ws/records/{record.pk}", alice)
    await judge_case(record, 1)
    case = await page.until("event", "case.finished")
    assert (case["data"]["index"], case["data"]["verdict"], case["data"]["record"]) == (1, "AC", record.pk)
    assert (await page.until("event", "record.updated"))["data"]["progress"] == {"done": 1, "all": 2}


async def test_the_owner_is_told_no_more_than_the_feedback_rule_allows(
    live: Node, sessions: Sessions, contest: Contest, alice: User, grace: User
) -> None:
    await Contest.objects.aupdate(feedback="first-failed")
    await contest.arefresh_from_db()
    record = await submit(contest, alice)
    hers = await enter(sessions, f"/ws/records/{record.pk}", alice)
    jury = await enter(sessions, f"/ws/records/{record.pk}", grace)
    await judge_case(record, 1, Verdict.WA)
    await judge_case(record, 2, Verdict.AC)
    await finish(record, Verdict.WA)
    for client, indices in ((hers, [1]), (jury, [1, 2])):
        while (await client.until("event", "record.updated"))["data"]["status"] != "final":
            pass
        assert [event["data"]["index"] for event in client.events("case.finished")] == indices


async def test_a_foreign_record_is_told_apart_from_an_unknown_one_by_nothing(
    live: Node, sessions: Sessions, contest: Contest, alice: User, bob: User
) -> None:
    record = await submit(contest, alice)
    told = []
    for number in (record.pk, record.pk + 1):
        client = Client(f"/ws/records/{number}", await sessions.key_of(bob))
        await client.connect()
        await client.send({"type": "hello", "protocol": 1, "client": "x"})
        assert await client.until_closed() == 4004
        told.append(client.received)
    assert told[0] == told[1] == [{"type": "end", "code": "not-found", "message": "There is no such record."}]
    watching = await Client("/ws/contests/cup/records", await sessions.key_of(bob)).live()
    replies = [await watching.command(seq, "watch", {"ids": [record.pk + seq]}) for seq in (0, 1)]
    assert [reply["error"] for reply in replies] == [replies[0]["error"]] * 2
    assert replies[0]["error"]["code"] == "forbidden"


async def test_ones_own_record_is_known_to_oneself_even_if_it_may_not_be_seen_any_more(
    live: Node, sessions: Sessions, contest: Contest, alice: User, grace: User
) -> None:
    record = await submit(contest, alice)
    await database_sync_to_async(registration.ban)(contest, alice, grace)
    client = Client(f"/ws/records/{record.pk}", await sessions.key_of(alice))
    await client.connect()
    await client.send({"type": "hello", "protocol": 1, "client": "x"})
    assert await client.until_closed() == 4003


async def test_a_records_stream_ends_after_the_final_state_and_says_why(
    live: Node, sessions: Sessions, contest: Contest, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_consumer, "FINISHED_AFTER_MS", 300)
    record = await submit(contest, alice)
    page = await enter(sessions, f"/ws/records/{record.pk}", alice)
    await finish(record)
    assert await page.until_closed() == 4001
    assert page.received[-1]["code"] == "finished"


async def test_thirty_seconds_lie_between_the_final_state_and_the_end_of_its_stream(
    live: Node, sessions: Sessions, contest: Contest, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sweep's clock is moved, for what is planned; everything else goes on as it is."""
    moved_ms = 0.0
    monkeypatch.setattr(sweep, "now_ms", lambda: now_ms() + moved_ms)
    record = await submit(contest, alice)
    page = await enter(sessions, f"/ws/records/{record.pk}", alice)
    await finish(record)
    while (await page.until("event", "record.updated"))["data"]["status"] != "final":
        pass
    await page.send({"type": "seen", "frames": len(page.received)})
    moved_ms = 29_000.0
    assert await page.is_quiet(0.4), "29 s later it is open"
    moved_ms = 30_500.0
    assert await page.until_closed() == 4001
    assert page.received[-1] == {"type": "end", "code": "finished", "message": "This record is final."}


@pytest.mark.slow
async def test_a_reopened_record_goes_on(
    live: Node, sessions: Sessions, contest: Contest, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_consumer, "FINISHED_AFTER_MS", 1000)
    record = await submit(contest, alice)
    page = await enter(sessions, f"/ws/records/{record.pk}", alice)
    notices = await enter(sessions, "/ws/contests/cup/announcements", alice)
    await finish(record)
    await notices.until("event", "record.final")
    await reopen(record)
    await notices.until("event", "record.reopened")
    await page.until("event", "record.updated")
    while page.received[-1]["data"]["status"] != "queued":
        await page.until("event", "record.updated")
    assert await page.is_quiet(1.5), "it would have been closed by now"


async def test_a_record_long_final_is_shown_and_ended_at_once(
    live: Node, sessions: Sessions, contest: Contest, alice: User
) -> None:
    record = await submit(contest, alice)
    await finish(record)
    await Record.objects.filter(pk=record.pk).aupdate(judged_at=timezone.now() - timedelta(minutes=5))
    page = await enter(sessions, f"/ws/records/{record.pk}", alice)
    assert page.received[1]["data"]["record"]["verdict"] == "AC"
    assert await page.until_closed() == 4001


async def test_a_record_long_final_ends_only_after_all_its_cases_were_told(
    live: Node, sessions: Sessions, contest: Contest, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_consumer, "LOOK_AGAIN_MS", 50.0)
    monkeypatch.setattr(record_consumer, "FINISHED_AFTER_MS", 100.0)
    record = await submit(contest, alice)
    cases = credit.FRAMES + 20

    @database_sync_to_async
    def judge_all() -> None:
        with transaction.atomic():
            for index in range(1, cases + 1):
                append(of_record_in_full(record.pk), "case.finished", {"record": record.pk, "index": index})

    before = await enter(sessions, f"/ws/records/{record.pk}", alice)
    await before.leave()
    await judge_all()
    await finish(record)
    await Record.objects.filter(pk=record.pk).aupdate(judged_at=timezone.now() - timedelta(minutes=5))
    page = Client(f"/ws/records/{record.pk}", await sessions.key_of(alice))
    page.cursor = before.cursor
    await page.connect()
    await page.send(hello(cursor=before.cursor))
    while not await page.is_quiet(0.3):
        await page.receive()
    live.sweep._look_at_queues(now_ms())  # its end is due
    assert len(page.events("case.finished")) < cases, "the premise: its credit is used up before all was told"
    await page.acknowledge()
    assert await page.until_closed() == 4001
    assert len(page.events("case.finished")) == cases
    assert page.received[-1]["code"] == "finished"


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
