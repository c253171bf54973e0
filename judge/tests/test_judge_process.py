"""The judge as processes: killed, stopped, hinted; whatever happens, a record is judged once."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection, connections

from contest.models import Contest, Record, RecordCase, SelfTestRun, User
from contest.services.records import submit
from contest.services.selftests import start_run
from judge.models import JudgeNode
from judge.offer import offered_languages
from judge.supervisor import Supervisor
from judge.waking import hints

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

RIGHT = "a, b = map(int, input().split())\nprint(a + b)\n"
# Takes its time over the second case.
SLOW_SECOND_CASE = "a, b = map(int, input().split())\nimport time\nif a == 20: time.sleep(1.2)\nprint(a + b)\n"


def wait_for(done: Callable[[], object], seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.01)


@dataclass
class RunningJudge:
    """A judge in processes of its own, on the test's database."""

    pid: int
    name: str

    def slot_pids(self) -> list[int]:
        """Its slots hold leases under names that end with their process ids."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        return [int(pid) for pid in children]

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        os.kill(self.pid, number)
        _, status = os.waitpid(self.pid, 0)
        return status


@pytest.fixture
def start_judge(transactional_db: None) -> Iterator[Callable[[str, int], RunningJudge]]:
    started: list[RunningJudge] = []

    def start(name: str, slots: int = 1) -> RunningJudge:
        # Neither side may go on with the other's connections.
        for wrapper in connections.all():
            wrapper.close()
            if hasattr(wrapper, "close_pool"):
                wrapper.close_pool()
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                Supervisor(name, slots).run()
                status = 0
            finally:
                os._exit(status)
        judge = RunningJudge(pid, name)
        started.append(judge)
        wait_for(lambda: JudgeNode.objects.filter(name=name).exists())
        return judge

    yield start
    for judge in started:
        try:
            judge.stop()
        except (ProcessLookupError, ChildProcessError):
            continue


def processes_below(pid: int) -> set[int]:
    """All descendants of a process that live now."""
    parents = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(entry.parent.name)] = int(words[1])
    found: set[int] = {pid}
    while new := {child for child, parent in parents.items() if parent in found} - found:
        found |= new
    return found - {pid}


def submitted(contest: Contest, user: User, source: str = RIGHT) -> Record:
    return submit(contest.problems.get(label="A"), user, language="python", source=source)


def is_final(record: Record) -> bool:
    return Record.objects.filter(pk=record.pk, status="final").exists()


def in_mid_record(contest: Contest, user: User) -> Record:
    """A submission of which the one judge at work has told the first case, and not the second."""
    contest.problems.get().packages.update(time_limit_ms=2000)
    record = submitted(contest, user, SLOW_SECOND_CASE)
    wait_for(lambda: RecordCase.objects.filter(record=record, index=1).exists())
    return record


def pass_lease(record: Record) -> None:
    """30 s pass."""
    Record.objects.filter(pk=record.pk).update(lease_expires_at="2020-01-01T00:00:00Z")


def test_a_hint_wakes_an_idle_judge_long_before_its_next_look(
    start_judge: Callable[..., RunningJudge], contest: Contest, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("judge.worker.LOOK_EVERY_S", 3600.0)
    start_judge("n1")
    first = submitted(contest, alice)
    wait_for(lambda: is_final(first))
    record = submitted(contest, alice)
    submitted_at = time.monotonic()
    wait_for(lambda: Record.objects.filter(pk=record.pk).exclude(status="queued").exists(), 2.0)
    assert time.monotonic() - submitted_at < 1.0
    wait_for(lambda: is_final(record))
    assert Record.objects.get(pk=record.pk).verdict == "AC"


def test_without_any_hint_it_is_found_within_a_second_or_two(
    start_judge: Callable[..., RunningJudge], contest: Contest, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("judge.processes.watch", lambda wake, each_round, is_stopping: _deaf(each_round, is_stopping))
    start_judge("n1")
    record = submitted(contest, alice)
    wait_for(lambda: is_final(record), 6.0)


def _deaf(each_round: Callable[[], None], is_stopping: Callable[[], bool]) -> None:
    while not is_stopping():
        each_round()
        time.sleep(0.2)


def test_killed_in_mid_record_another_judge_finishes_it_once(
    start_judge: Callable[..., RunningJudge], contest: Contest, alice: User
) -> None:
    first = start_judge("n1")
    record = in_mid_record(contest, alice)
    below = processes_below(first.pid)
    os.kill(first.pid, signal.SIGSTOP)  # so that it cannot start its slot again
    for pid in first.slot_pids():
        os.kill(pid, signal.SIGKILL)
    os.kill(first.pid, signal.SIGKILL)
    os.waitpid(first.pid, 0)
    assert not is_final(record), "the premise: it died in the middle"
    wait_for(lambda: not any(Path(f"/proc/{pid}/exe").exists() for pid in below), 5.0)

    pass_lease(record)
    start_judge("n2")
    wait_for(lambda: is_final(record))
    record.refresh_from_db()
    assert (record.verdict, record.attempt, record.lost_leases) == ("AC", 2, 1)
    assert record.worker.startswith("n2/")
    assert list(record.cases.values_list("index", "attempt", "verdict")) == [(1, 2, "AC"), (2, 2, "AC")]


def test_a_stopped_judge_that_comes_back_late_changes_nothing(
    start_judge: Callable[..., RunningJudge], contest: Contest, alice: User
) -> None:
    first = start_judge("n1")
    record = in_mid_record(contest, alice)
    slots = first.slot_pids()
    for pid in slots:
        os.kill(pid, signal.SIGSTOP)
    pass_lease(record)
    other = start_judge("n2")
    wait_for(lambda: is_final(record))
    before = Record.objects.filter(pk=record.pk).values().get()
    assert before["worker"].startswith("n2/")
    other.stop()
    for pid in slots:
        os.kill(pid, signal.SIGCONT)
    second = submitted(contest, alice)
    wait_for(lambda: is_final(second))
    second.refresh_from_db()
    assert second.worker.startswith("n1/"), "the late one has done with the first record and taken the next"
    assert Record.objects.filter(pk=record.pk).values().get() == before
    assert [case.attempt for case in record.cases.all()] == [2, 2]


def test_a_slot_that_dies_is_started_again_and_its_record_judged_at_once(
    start_judge: Callable[..., RunningJudge], contest: Contest, alice: User
) -> None:
    judge = start_judge("n1")
    record = in_mid_record(contest, alice)
    holder = int(Record.objects.get(pk=record.pk).worker.rpartition(".")[2])
    assert holder in judge.slot_pids()
    os.kill(holder, signal.SIGKILL)
    wait_for(lambda: is_final(record), 15.0)  # well below the lease of 30 s
    record.refresh_from_db()
    assert (record.verdict, record.attempt) == ("AC", 2)


def test_sigterm_gives_back_what_is_not_finished_and_leaves_no_process(
    start_judge: Callable[..., RunningJudge], contest: Contest, alice: User, bob: User
) -> None:
    contest.problems.get().packages.update(time_limit_ms=10_000)
    judge = start_judge("n1", 2)
    # One slot is kept for submissions, so the self-test has to be on the other one first.
    start_run(contest, bob, language="python", source="while True: pass", stdin="", command_key="k")
    wait_for(lambda: SelfTestRun.objects.filter(status="running").exists())
    record = submitted(contest, alice, "while True: pass")
    wait_for(lambda: Record.objects.filter(pk=record.pk, status="running").exists())
    below = processes_below(judge.pid)
    assert len(below) > 6, "the premise: programs run"
    begun = time.monotonic()
    assert judge.stop() == 0
    assert time.monotonic() - begun < 5
    assert not any(Path(f"/proc/{pid}").exists() for pid in below)
    record.refresh_from_db()
    assert (record.status, record.worker, record.lost_leases) == ("queued", "", 0)
    assert SelfTestRun.objects.get().status == "queued"
    assert not JudgeNode.objects.exists()


def test_pages_offer_what_living_judges_have(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    from django.utils import timezone

    monkeypatch.setattr("judge.offer._kept", None)
    JudgeNode.objects.create(
        name="far",
        slots=1,
        languages=[{"id": "rust", "version": "1.70.0"}, {"id": "c", "version": ""}],
        started_at=timezone.now(),
        seen_at=timezone.now(),
    )
    assert [(row.id, row.name) for row in offered_languages()] == [("c", "C"), ("rust", "Rust (1.70.0)")]


def test_hints_come_only_when_somebody_wrote(contest: Contest, alice: User) -> None:
    import threading

    looking = hints()
    next(looking)
    assert next(looking) is False
    if connection.vendor == "postgresql":
        submitted(contest, alice)
        assert next(looking) is True
        return

    def write() -> None:
        submitted(contest, alice)
        connections["default"].close()

    writer = threading.Thread(target=write)
    writer.start()
    assert next(looking) is True
    writer.join()
    assert settings.DATABASES["default"]["ENGINE"].endswith("sqlite3")


def test_a_slot_that_hangs_is_replaced_although_it_is_the_only_one(
    start_judge: Callable[..., RunningJudge], contest: Contest, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("judge.supervisor.WATCH_EVERY_S", 0.2)
    monkeypatch.setattr("judge.supervisor.STUCK_AFTER_S", 2.0)
    judge = start_judge("n1")
    healthy = submitted(contest, alice)
    wait_for(lambda: is_final(healthy))
    record = submitted(contest, alice, SLOW_SECOND_CASE)
    wait_for(lambda: Record.objects.filter(pk=record.pk, status="running").exists())
    slot = int(Record.objects.get(pk=record.pk).worker.rpartition(".")[2])
    assert slot in judge.slot_pids()
    os.kill(slot, signal.SIGSTOP)
    wait_for(lambda: ") T " in Path(f"/proc/{slot}/stat").read_text(), 2.0)
    wait_for(lambda: is_final(record))
    record.refresh_from_db()
    assert (record.verdict, record.attempt, record.lost_leases) == ("AC", 2, 1)
    assert slot not in judge.slot_pids(), "another process has its place"
    assert JudgeNode.objects.filter(name="n1").exists(), "the others were left alone"
