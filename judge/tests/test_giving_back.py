"""What a slot cannot finish it gives back, and what is no longer its own it leaves alone."""

from __future__ import annotations

import hashlib

import pytest

from contest import events
from contest.models import Blob, Problem, Record, User
from contest.services.judging import CaseResult, RecordClaim, cases_finished
from contest.services.records import submit
from judge.tests.work import RIGHT
from judge.worker import Worker

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def test_damaged_test_data_is_never_a_verdict_on_the_contestant(
    worker: Worker, problem: Problem, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("judge.worker.PAUSE_AFTER_FAULT_S", 0)
    Blob.objects.filter(sha256=hashlib.sha256(b"20 22\n").hexdigest()).update(data=b"20 23\n")
    record = submit(problem, alice, language="python", source=RIGHT)
    for _ in range(3):
        assert worker.step()
    record.refresh_from_db()
    assert (record.status, record.verdict) == ("final", "JE")
    assert "DamagedBlob" in record.staff_message
    assert not worker.step()


def test_a_slot_that_stops_gives_its_record_back(
    worker: Worker, problem: Problem, alice: User, stopping: list[bool], told: list[events.Event]
) -> None:
    record = submit(problem, alice, language="python", source="while True: pass")

    def stop_when_it_runs(event: events.Event) -> None:
        if isinstance(event, events.RecordProgressed) and event.record.status == "running":
            stopping.append(True)

    events.subscribe(stop_when_it_runs)
    worker.run()
    record.refresh_from_db()
    assert (record.status, record.worker, record.attempt, record.lost_leases) == ("queued", "", 1, 0)


def test_a_record_that_another_worker_took_is_left_alone(
    worker: Worker, problem: Problem, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = submit(problem, alice, language="python", source=RIGHT)

    def stolen(claim: RecordClaim, results: list[CaseResult], lease_s: float) -> None:
        Record.objects.filter(pk=record.pk).update(attempt=7, worker="thief")
        cases_finished(claim, results, lease_s=lease_s)

    monkeypatch.setattr("judge.judging.cases_finished", stolen)
    assert worker.step()
    record.refresh_from_db()
    assert (record.status, record.attempt, record.worker) == ("running", 7, "thief")
    assert not record.cases.exists()
