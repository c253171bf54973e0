"""The records table is the queue: claimed once, fenced by attempt, set aside when it kills its workers."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from contest import events
from contest.models import Contest, Record, RecordCase, User
from contest.models.queue import QueueClass
from contest.services import judging
from contest.services.judging import CaseResult, Final, RecordClaim, claim_record
from contest.services.queue import LeaseLost, expire_leases
from contest.services.records import submit

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def records(contest: Contest, alice: User, bob: User) -> list[Record]:
    problem = contest.problems.get(label="A")
    return [submit(problem, user, language="python", source=f"print({user.pk})") for user in (alice, bob, alice)]


def claim(worker: str = "w1", lease_s: float = 30.0) -> RecordClaim:
    claimed = claim_record(worker, QueueClass.LIVE, lease_s=lease_s)
    assert claimed is not None
    return claimed[0]


def case(index: int, verdict: str = "AC", time_ms: int = 5) -> CaseResult:
    return CaseResult(index, verdict, time_ms, 1000)


def test_people_take_turns_and_each_record_goes_to_one_worker(records: list[Record]) -> None:
    assert [claim(f"w{number}").pk for number in range(3)] == [record.pk for record in records]
    assert claim_record("w4", QueueClass.LIVE) is None


def test_only_languages_that_the_worker_has(records: list[Record]) -> None:
    assert claim_record("w", QueueClass.LIVE, languages=["cpp", "java"]) is None
    assert claim_record("w", QueueClass.LIVE, languages=["python"]) is not None


def test_a_record_on_its_way_tells_each_step(records: list[Record], told: list[events.Event]) -> None:
    mine = claim()
    judging.running(mine, cases_total=2, compiler_output="a warning")
    judging.cases_finished(mine, [case(1, time_ms=7)])
    judging.finish(mine, Final("WA"), [case(2, "WA", time_ms=3)])
    record = Record.objects.get(pk=mine.pk)
    assert (record.status, record.verdict, record.cases_done, record.time_ms) == ("final", "WA", 2, 7)
    assert record.judged_at is not None and record.lease_expires_at is None
    steps = [
        (type(event).__name__, event.record.status, [case.index for case in event.cases])
        for event in told
        if isinstance(event, events.RecordProgressed | events.RecordFinished)
    ]
    assert steps == [
        ("RecordProgressed", "compiling", []),
        ("RecordProgressed", "running", []),
        ("RecordProgressed", "running", [1]),
        ("RecordFinished", "final", [2]),
    ]
    assert isinstance(told[-1], events.StandingsChanged)
    versions = [event.record.version for event in told if isinstance(event, events.RecordProgressed)]
    assert versions == sorted(set(versions)), "each step is newer than the one before"


def test_what_an_older_attempt_says_changes_nothing(records: list[Record], told: list[events.Event]) -> None:
    slow = claim("slow", lease_s=-1)
    judging.cases_finished(slow, [case(1)], lease_s=-1)
    quick = claim("quick")
    assert (quick.pk, quick.attempt) == (slow.pk, slow.attempt + 1), "the premise: the lease ran out"
    judging.finish(quick, Final("WA"), [case(1, "WA")])
    before = Record.objects.filter(pk=slow.pk).values().get()
    told.clear()
    late: list[Callable[[], None]] = [
        lambda: slow.renew(),
        lambda: judging.running(slow, cases_total=9),
        lambda: judging.cases_finished(slow, [case(2)]),
        lambda: judging.finish(slow, Final("AC"), [case(2)]),
        lambda: judging.give_back(slow),
    ]
    for say in late:
        with pytest.raises(LeaseLost):
            say()
    assert Record.objects.filter(pk=slow.pk).values().get() == before
    assert list(RecordCase.objects.values_list("index", "verdict", "attempt")) == [(1, "WA", quick.attempt)]
    assert told == []


def test_a_renewed_lease_is_not_claimed_by_others(records: list[Record]) -> None:
    mine = claim("w1", lease_s=-1)
    mine.renew()
    assert claim("w2").pk != mine.pk


def test_what_is_given_back_returns_to_its_place_without_its_cases(records: list[Record]) -> None:
    mine = claim()
    judging.running(mine, cases_total=2)
    judging.cases_finished(mine, [case(1)])
    judging.give_back(mine)
    record = Record.objects.get(pk=mine.pk)
    assert (record.status, record.worker, record.cases_done, record.lost_leases) == ("queued", "", 0, 0)
    assert not record.cases.exists()
    again = claim("w2")
    assert (again.pk, again.attempt) == (mine.pk, 2)


def test_a_record_that_kills_three_workers_is_set_aside_alone(records: list[Record], told: list[events.Event]) -> None:
    for number in range(3):
        assert claim(f"dead-{number}", lease_s=-1).pk == records[0].pk
    assert claim("w").pk == records[1].pk, "the queue goes on"
    record = Record.objects.get(pk=records[0].pk)
    assert (record.status, record.verdict) == ("final", "JE")
    assert "no judge finished" in record.staff_message
    assert [event.record.pk for event in told if isinstance(event, events.RecordFinished)] == [record.pk]


def test_a_record_that_fails_three_times_is_set_aside_with_the_reason(records: list[Record]) -> None:
    for _ in range(3):
        judging.give_back(claim(), failure="the disk is full")
    record = Record.objects.get(pk=records[0].pk)
    assert (record.status, record.verdict) == ("final", "JE")
    assert record.staff_message.endswith("the disk is full")


def test_the_leases_of_a_worker_that_was_seen_to_die_end_at_once(records: list[Record]) -> None:
    mine = claim("dead")
    other = claim("alive")
    assert expire_leases("dead") == 1
    again = claim("w3")
    assert (again.pk, again.attempt) == (mine.pk, 2)
    other.renew()


def test_live_records_go_before_reopened_ones(records: list[Record], told: list[events.Event]) -> None:
    mine = claim()
    judging.finish(mine, Final("AC"), [case(1)])
    record = Record.objects.select_related("problem", "package", "contest").get(pk=mine.pk)
    assert judging.reopen(record)
    assert not judging.reopen(record), "it is not final any more"
    record.refresh_from_db()
    assert (record.status, record.verdict, record.queue_class, record.cases.count()) == ("queued", "", 2, 0)
    assert any(isinstance(event, events.RecordReopened) for event in told)
    assert claim_record("w", QueueClass.BACKGROUND) is not None


def test_nothing_is_written_when_the_event_cannot_be(records: list[Record], monkeypatch: pytest.MonkeyPatch) -> None:
    mine = claim()

    def broken(event: events.Event) -> None:
        raise RuntimeError("the log is full")

    monkeypatch.setattr(events, "_subscribers", [broken])
    with pytest.raises(RuntimeError):
        judging.finish(mine, Final("AC"), [case(1)])
    record = Record.objects.get(pk=mine.pk)
    assert (record.status, record.verdict, record.cases.count()) == ("compiling", "", 0)


@pytest.mark.scaled
def test_a_row_that_another_worker_is_just_claiming_is_passed_over(records: list[Record]) -> None:
    import threading

    from django.db import connection

    locked, release = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            Record.objects.select_for_update().get(pk=records[0].pk)
            locked.set()
            release.wait(10)
        connection.close()

    holder = threading.Thread(target=hold)
    holder.start()
    try:
        assert locked.wait(10)
        assert claim().pk == records[1].pk
    finally:
        release.set()
        holder.join()


def test_many_workers_at_once_never_share_a_record(records: list[Record]) -> None:
    from concurrent.futures import ThreadPoolExecutor

    from django.db import connection

    Record.objects.all().update(queued_at=timezone.now() - timedelta(seconds=5))

    def work(number: int) -> int | None:
        claimed = claim_record(f"w{number}", QueueClass.LIVE)
        connection.close()
        return claimed[0].pk if claimed else None

    with ThreadPoolExecutor(8) as pool:
        claimed = list(pool.map(work, range(8)))
    got = [pk for pk in claimed if pk is not None]
    assert len(got) == len(set(got))
    while (left := claim_record("rest", QueueClass.LIVE)) is not None:
        got.append(left[0].pk)
    assert sorted(got) == [record.pk for record in records]
