"""The stream of one record: who may follow it, what is told, and how it ends."""

from __future__ import annotations

from datetime import timedelta

import pytest
from channels.db import database_sync_to_async
from django.db import transaction
from django.utils import timezone

from contest.models import Contest, Record, User
from contest.models.queue import Verdict
from contest.services import registration
from realtime.clock import now_ms
from realtime.consumers import record as record_consumer
from realtime.log.append import append
from realtime.log.topics import of_record_in_full
from realtime.node import sweep
from realtime.node.node import Node
from realtime.tests.clients import Client, Sessions, hello
from realtime.tests.record_acts import enter, finish, judge_case, reopen, submit
from realtime.wire import credit


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
