"""A contest that goes on after its end: what only the end had opened is closed again before anything more is told."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from channels.db import database_sync_to_async
from django.db import transaction
from django.utils import timezone

from contest.events import RecordProgressed, publish
from contest.models import Contest, Record, RecordCase, User
from contest.services.records import submit
from contest.services.schedule import change_schedule, grant_extra_time
from realtime.entry import attach
from realtime.entry.sessions import read_visitors
from realtime.node.node import Node
from realtime.tests.clients import Client, Sessions, eventually

LIST = "/ws/contests/cup/records"

Change = Callable[[Contest, User, User], object]


def go_on_by_a_later_end(contest: Contest, alice: User, grace: User) -> None:
    end = timezone.now() + timedelta(hours=1)
    change_schedule(contest, grace, starts_at=contest.starts_at, ends_at=end, freeze_at=None)


def go_on_by_extra_time(contest: Contest, alice: User, grace: User) -> None:
    grant_extra_time(contest.participations.get(user=alice), grace, 3600, "power cut")


@pytest.fixture
def rights_wait(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Nobody's rights are read again until it is set."""
    go = threading.Event()

    def held(keys: Any) -> Any:
        assert go.wait(10)
        return read_visitors(keys)

    monkeypatch.setattr(attach, "read_visitors", held)
    yield go
    go.set()


@database_sync_to_async
def a_record_and_then_the_end(contest: Contest, alice: User) -> Record:
    record = submit(contest.problems.get(), alice, language="c", source="x")
    Contest.objects.update(ends_at=timezone.now() - timedelta(minutes=1))
    contest.refresh_from_db()
    return record


@database_sync_to_async
def judge_one_case(record: Record) -> None:
    with transaction.atomic():
        record.refresh_from_db()
        record.status, record.cases_done = "running", 1
        record.version += 1
        record.save()
        case = RecordCase.objects.create(record=record, attempt=0, index=1, verdict="WA", time_ms=5, memory_kb=1000)
        publish(RecordProgressed(record, (case,)))


@pytest.mark.parametrize("go_on", [go_on_by_a_later_end, go_on_by_extra_time])
async def test_nothing_of_others_is_told_while_it_is_not_known_whether_the_contest_is_still_over(
    live: Node,
    sessions: Sessions,
    contest: Contest,
    alice: User,
    bob: User,
    grace: User,
    rights_wait: threading.Event,
    go_on: Change,
) -> None:
    record = await a_record_and_then_the_end(contest, alice)
    rights_wait.set()
    all_of_them = await Client(LIST, await sessions.key_of(bob)).live()
    one = await Client(f"/ws/records/{record.pk}", await sessions.key_of(bob)).live()
    notices = await Client("/ws/contests/cup/announcements", await sessions.key_of(bob)).live()
    assert set(all_of_them.cursor) == {"me", "all"}, "the premise: the end has opened all records to him"
    await eventually(lambda: not any(each.rechecks for each in live.consumers.values()))

    rights_wait.clear()
    await database_sync_to_async(go_on)(contest, alice, grace)
    await notices.until("event", "contest.changed")
    await judge_one_case(record)
    assert await all_of_them.is_quiet(0.5)
    assert await one.is_quiet(0.1)
    rights_wait.set()
    assert set((await all_of_them.until("snapshot"))["cursor"]) == {"me"}
    assert await one.until_closed() == 4003
    assert not all_of_them.events()
    assert not one.events()
