"""Topics are cut by audience and judging is thinned: nobody's numbers tell of what others do, and no end is lost."""

from __future__ import annotations

import json
from typing import Any

import pytest
from channels.db import database_sync_to_async

from contest.models import Contest, Record, User
from contest.models.queue import QueueClass
from contest.services import judging, selftests
from contest.services.clarifications import answer_clarification, ask_clarification
from contest.services.notices import post_notice
from contest.services.receipts import confirm_notices
from contest.services.records import submit
from realtime.log import topics
from realtime.models import LogEvent
from realtime.node.node import Node
from realtime.receivers import records as record_receivers
from realtime.tests.clients import Client, Sessions

STREAMS = ("announcements", "records", "selftest", "timer")
CASES = 40


@database_sync_to_async
def live_an_hour_of(user: User, contest: Contest, grace: User) -> Record:
    """Everything that is one contestant's own: a notice, a question with its private answer, a record, a run."""
    notice = post_notice(contest, grace, title="For you", body="x", audience_users=[user])
    confirm_notices(contest, user, [(notice.pk, 1)])
    asked = ask_clarification(contest, user, problem_label=None, text="Why?", command_key="a/b/1")
    answer_clarification(asked, grace, answer="Because.", is_public=False)
    selftests.start_run(contest, user, language="python", source="print(1)", stdin="", command_key="a/b/2")
    return judge_one(contest, user)


def judge_one(contest: Contest, user: User) -> Record:
    """A record with many cases, each in a write of its own, as a judge would never do it."""
    submit(contest.problems.get(), user, language="python", source="print(3)")
    claimed = judging.claim_record("worker", QueueClass.LIVE)
    assert claimed is not None
    claim, record = claimed
    judging.running(claim, cases_total=CASES)
    for index in range(1, CASES):
        judging.cases_finished(claim, [judging.CaseResult(index, "AC", 1, 1)])
    judging.finish(claim, judging.Final("AC"), [judging.CaseResult(CASES, "AC", 1, 1)])
    return record


async def cursors_of(sessions: Sessions, user: User, slug: str) -> dict[str, Any]:
    found = {}
    for stream in STREAMS:
        client = await Client(f"/ws/contests/{slug}/{stream}", await sessions.key_of(user)).live()
        found[stream] = {topic: cursor for topic, cursor in client.cursor.items() if topic != "contest"}
        await client.leave()
    return found


async def test_nobodys_numbers_move_by_what_is_hidden_from_them(
    live: Node, sessions: Sessions, contest: Contest, alice: User, bob: User, grace: User
) -> None:
    his = await cursors_of(sessions, bob, contest.slug)
    hers = await cursors_of(sessions, alice, contest.slug)
    await live_an_hour_of(alice, contest, grace)
    assert await LogEvent.objects.acount() > 2 * CASES
    public = LogEvent.objects.filter(topic__key=topics.of_contest(contest.pk)).values_list("name", flat=True)
    assert {name async for name in public} <= {"standings.changed"}, "which is on the board for all to see"
    assert await cursors_of(sessions, bob, contest.slug) == his
    after = await cursors_of(sessions, alice, contest.slug)
    assert {stream for stream in STREAMS if after[stream] != hers[stream]} == {"announcements", "records", "selftest"}


@pytest.mark.django_db(transaction=True)
def test_lists_get_the_begin_and_the_end_of_judging_and_little_between(
    contest: Contest, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_receivers, "LIST_PERIOD_MS", 3_600_000)  # however slow the machine is
    record = judge_one(contest, alice)
    for key in (topics.of_own_records(contest.pk, alice.pk), topics.of_all_records(contest.pk)):
        told = list(LogEvent.objects.filter(topic__key=key).order_by("seq"))
        assert [json.loads(event.data)["status"] for event in told] == ["queued", "compiling", "final"]
        assert [event.is_kept for event in told] == [True, False, True]
    for key in (topics.of_record_owner(record.pk), topics.of_record_in_full(record.pk)):
        events = LogEvent.objects.filter(topic__key=key).order_by("seq")
        cases = [json.loads(event.data)["index"] for event in events if event.name == "case.finished"]
        assert cases == list(range(1, CASES + 1)), "its own topics have every case"
        last = events.last()
        assert last is not None
        assert (last.name, json.loads(last.data)["status"], last.is_kept) == ("record.updated", "final", True)
