"""A slot judges what waits, case by case, by the contest's rules, and gives back what it cannot finish."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from contest import events
from contest.models import Blob, Contest, Package, PackageTest, Problem, Record, SelfTestOutput, SelfTestRun, User
from contest.services.judging import CaseResult, RecordClaim, cases_finished, running
from contest.services.records import submit
from contest.services.selftests import cancel_run, start_run
from judge.blobs import BlobCache
from judge.packages import Shelf
from judge.sandbox import Jail
from judge.slot import Slot
from judge.worker import Worker

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[events.Event]:
    told: list[events.Event] = []
    monkeypatch.setattr(events, "_subscribers", [told.append])
    return told


@pytest.fixture
def stopping() -> list[bool]:
    """Put something in, and the slot is told to stop."""
    return []


@pytest.fixture
def slot(plain_jail: Jail, tmp_path: Path, stopping: list[bool]) -> Slot:
    validators = plain_jail.home / "validators"
    validators.mkdir(mode=0o711, exist_ok=True)
    blobs = BlobCache(tmp_path / "blobs")
    return Slot("test/0", plain_jail, blobs, Shelf(validators, blobs), lambda: bool(stopping))


@pytest.fixture
def worker(slot: Slot) -> Iterator[Worker]:
    read, write = os.pipe()
    yield Worker(slot, read)
    os.close(read)
    os.close(write)


def blob(data: bytes) -> Blob:
    name = hashlib.sha256(data).hexdigest()
    return Blob.objects.get_or_create(sha256=name, defaults={"data": data, "size_bytes": len(data)})[0]


def add_case(package: Package, index: int, given: bytes, answer: bytes, **fields: object) -> None:
    PackageTest.objects.create(
        package=package,
        index=index,
        name=str(index),
        is_sample=False,
        input=blob(given),
        answer=blob(answer),
        **fields,
    )


@pytest.fixture
def problem(contest: Contest) -> Problem:
    return contest.problems.get(label="A")


def judged(worker: Worker, problem: Problem, user: User, source: str, language: str = "python") -> Record:
    record = submit(problem, user, language=language, source=source)
    assert worker.step()
    return Record.objects.get(pk=record.pk)


RIGHT = "a, b = map(int, input().split())\nprint(a + b)\n"
FIRST_ONLY = "a, b = map(int, input().split())\nprint(3)\n"


@pytest.mark.parametrize(
    ("source", "language", "verdict", "cases"),
    [
        (RIGHT, "python", "AC", ["AC", "AC"]),
        (FIRST_ONLY, "python", "WA", ["AC", "WA"]),
        ("while True: pass", "python", "TLE", ["TLE"]),
        ("import time\ntime.sleep(100)", "python", "TLE", ["TLE"]),
        ("raise SystemExit(3)", "python", "RE", ["RE"]),
        ("import os\nos.kill(os.getpid(), 11)", "python", "RE", ["RE"]),
        ("import os\nos.kill(os.getpid(), 15)", "python", "RE", ["RE"]),
        ("x = bytearray(1 << 30)", "python", "MLE", ["MLE"]),
        ("while True: print('x' * 100000)", "python", "OLE", ["OLE"]),
        ("print(", "python", "CE", []),
        ("int main() { return 0; }", "c", "WA", ["WA"]),
        ('#include "/dev/random"', "c", "CE", []),
    ],
)
def test_each_verdict(
    worker: Worker, problem: Problem, alice: User, source: str, language: str, verdict: str, cases: list[str]
) -> None:
    Package.objects.update(time_limit_ms=300)
    record = judged(worker, problem, alice, source, language)
    assert (record.status, record.verdict) == ("final", verdict), record.staff_message
    assert [case.verdict for case in record.cases.all()] == cases
    assert (record.compiler_output != "") == (verdict == "CE")
    assert record.score is None


def test_steps_are_told_in_order_and_the_first_case_at_once(
    worker: Worker, problem: Problem, alice: User, told: list[events.Event]
) -> None:
    judged(worker, problem, alice, RIGHT)
    shown = [(type(event).__name__, [case.index for case in getattr(event, "cases", ())]) for event in told]
    assert shown[:5] == [
        ("RecordSubmitted", []),
        ("StandingsChanged", []),
        ("RecordProgressed", []),  # compiling
        ("RecordProgressed", []),  # running
        ("RecordProgressed", [1]),
    ]
    assert [name for name, _ in shown[-2:]] == ["RecordFinished", "StandingsChanged"]
    assert [index for _, indexes in shown for index in indexes] == [1, 2], "each case is told once"


def test_many_quick_cases_are_written_in_few_writes(
    worker: Worker, problem: Problem, alice: User, told: list[events.Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("judge.keeper.FLUSH_EVERY_S", 3600.0)  # however slow the machine is
    assert problem.package is not None
    for index in range(3, 61):
        add_case(problem.package, index, b"1 1\n", b"2\n")
    record = judged(
        worker, problem, alice, '#include <stdio.h>\nint main() {int a,b;scanf("%d%d",&a,&b);printf("%d",a+b);}', "c"
    )
    assert (record.verdict, record.cases_done, record.cases_total) == ("AC", 60, 60)
    writes = [event for event in told if isinstance(event, events.RecordProgressed) and event.cases]
    assert len(writes) == 1, "the first case at once, and the rest with the end"
    seen = [case.index for event in told for case in getattr(event, "cases", ())]
    assert seen == list(range(1, 61)), "each case is told once, in order"


def test_points_by_groups_in_a_contest_that_counts_points(worker: Worker, problem: Problem, alice: User) -> None:
    Contest.objects.update(scoring="ioi")
    package = problem.package
    assert package is not None
    package.scoring = {
        "groups": [
            {"name": "small", "score": 40, "mode": "min", "depends": []},
            {"name": "large", "score": 60, "mode": "min", "depends": ["small"]},
        ]
    }
    package.save()
    add_case(package, 3, b"1 2\n", b"3\n", group="small")
    add_case(package, 4, b"1 1\n", b"2\n", group="large")
    add_case(package, 5, b"2 2\n", b"4\n", group="large")
    problem.refresh_from_db()
    record = judged(worker, problem, alice, FIRST_ONLY)
    assert (record.verdict, record.score) == ("WA", 40.0)
    assert record.group_scores == {"small": 40.0, "large": 0.0}
    assert [case.index for case in record.cases.all()] == [1, 2, 3, 4], "what is lost is not judged"


VALIDATOR = """
import sys
answer = open(sys.argv[2]).read().split()
output = sys.stdin.read().split()
open(sys.argv[3] + "teammessage.txt", "w").write("not even close")
if output == ["crash"]: sys.exit(1)
sys.exit(42 if sorted(output) == sorted(answer) else 43)
"""


@pytest.fixture
def with_validator(problem: Problem) -> Problem:
    package = problem.package
    assert package is not None
    package.comparison = Package.Comparison.VALIDATOR
    package.validator_language = "python"
    package.validator_files = {"check.py": blob(VALIDATOR.encode()).pk}
    package.save()
    problem.refresh_from_db()
    return problem


def test_a_packages_validator_decides(worker: Worker, with_validator: Problem, alice: User) -> None:
    assert judged(worker, with_validator, alice, RIGHT).verdict == "AC"
    record = judged(worker, with_validator, alice, "print(7)")
    assert (record.verdict, record.cases.get().message) == ("WA", "not even close")


def test_a_crashing_validator_is_a_judge_error_with_words_for_staff(
    worker: Worker, with_validator: Problem, alice: User
) -> None:
    record = judged(worker, with_validator, alice, "print('crash')")
    assert record.verdict == "JE"
    assert "Case 1: The validator ended with status 1." in record.staff_message


def test_a_validator_that_does_not_compile_is_a_judge_error(
    worker: Worker, with_validator: Problem, alice: User
) -> None:
    Package.objects.update(validator_files={"check.py": blob(b"no python (").pk})
    with_validator.refresh_from_db()
    record = judged(worker, with_validator, alice, RIGHT)
    assert record.verdict == "JE"
    assert "does not compile" in record.staff_message


def test_a_package_without_cases_accepts_nothing(worker: Worker, problem: Problem, alice: User) -> None:
    PackageTest.objects.all().delete()
    record = judged(worker, problem, alice, RIGHT)
    assert (record.verdict, "no test cases" in record.staff_message) == ("JE", True)


def test_a_slot_that_stops_while_a_validator_compiles_gives_its_record_back(
    worker: Worker, with_validator: Problem, alice: User, stopping: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    Package.objects.update(
        validator_language="cpp", validator_files={"check.cpp": blob(b"#include <bits/stdc++.h>\nint main() {}").pk}
    )
    with_validator.refresh_from_db()
    record = submit(with_validator, alice, language="python", source=RIGHT)

    def stop(claim: RecordClaim, **fields: Any) -> None:
        running(claim, **fields)
        stopping.append(True)

    monkeypatch.setattr("judge.judging.running", stop)
    assert worker.step()
    record.refresh_from_db()
    assert (record.status, record.worker, record.lost_leases) == ("queued", "", 0)


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


def run(contest: Contest, user: User, source: str, stdin: str = "", language: str = "python") -> SelfTestRun:
    return start_run(contest, user, language=language, source=source, stdin=stdin, command_key=f"k/{source[:80]}")


@pytest.mark.parametrize(
    ("source", "verdict", "status", "output"),
    [
        ("print(input() * 2)", "AC", 0, "hihi\n"),
        ("import sys; print('x'); sys.exit(4)", "RE", 4, "x\n"),
        ("import os; os.kill(os.getpid(), 6)", "RE", -6, ""),
        (
            "print('\\0\\udcff', end='', flush=True) if 0 else __import__('os').write(1, b'\\0\\xff')",
            "AC",
            0,
            "\ufffd\ufffd",
        ),
    ],
)
def test_a_selftest_runs_and_tells(
    worker: Worker, contest: Contest, alice: User, source: str, verdict: str, status: int, output: str
) -> None:
    started = run(contest, alice, source, "hi\n")
    assert worker.step()
    started.refresh_from_db()
    assert (started.status, started.verdict, started.exit_status) == ("final", verdict, status)
    assert "".join(started.output.values_list("text", flat=True)) == output
    assert started.time_ms is not None and started.memory_kb


def test_a_selftest_that_does_not_compile(worker: Worker, contest: Contest, alice: User) -> None:
    started = run(contest, alice, "print(")
    worker.step()
    started.refresh_from_db()
    assert (started.verdict, "SyntaxError" in started.compiler_output) == ("CE", True)


def test_much_output_is_cut_and_said(worker: Worker, contest: Contest, alice: User) -> None:
    started = run(contest, alice, "for i in range(100000): print('0123456789')")
    worker.step()
    started.refresh_from_db()
    assert (started.verdict, started.cut) == ("AC", ["stdout"])
    chunks = list(SelfTestOutput.objects.order_by("offset"))
    assert sum(len(chunk.text) for chunk in chunks) == 256 * 1024
    assert max(len(chunk.text) for chunk in chunks) <= 16 * 1024


def test_much_error_output_is_cut_and_said_too(worker: Worker, contest: Contest, alice: User) -> None:
    started = run(contest, alice, "import os\nfor i in range(300): os.write(2, b'x' * 1000)")
    worker.step()
    started.refresh_from_db()
    assert (started.verdict, started.cut) == ("AC", ["stderr"])
    assert sum(len(chunk.text) for chunk in started.output.all()) == 256 * 1024


SLOW_TO_COMPILE = (
    "constexpr long f(long n) { long s = 0; for (long i = 0; i < n; i++) s += i % 7; return s; }\n"
    + "".join(f"constexpr long v{i} = f({200_000 + i});\n" for i in range(200))
    + "int main() { return v0 > 0; }\n"
)


def test_a_selftest_that_still_compiles_is_stopped_within_a_second(
    worker: Worker, contest: Contest, alice: User, told: list[events.Event]
) -> None:
    started = run(contest, alice, SLOW_TO_COMPILE, language="cpp")
    moments: list[float] = []

    def cancel() -> None:
        assert cancel_run(contest, alice)
        moments.append(time.monotonic())
        connection.close()  # this thread's own

    def cancel_soon(event: events.Event) -> None:
        if isinstance(event, events.RunCompiling):
            threading.Timer(0.7, cancel).start()

    events.subscribe(cancel_soon)
    worker.step()
    ended = time.monotonic()
    started.refresh_from_db()
    assert moments, "it had compiled before it was stopped"
    assert started.started_at is None, "it never ran"
    assert (started.status, started.verdict) == ("final", "")
    assert ended - moments[0] < 1.0


def test_a_cancelled_selftest_ends_soon_with_what_it_wrote(
    worker: Worker, contest: Contest, alice: User, told: list[events.Event]
) -> None:
    started = run(contest, alice, "print('begun', flush=True)\nwhile True: pass")

    def cancel_at_first_output(event: events.Event) -> None:
        if isinstance(event, events.RunOutput):
            cancel_run(contest, alice)

    events.subscribe(cancel_at_first_output)
    worker.step()
    started.refresh_from_db()
    assert (started.status, started.verdict) == ("final", "")
    assert started.output.get().text == "begun\n"
    assert started.started_at and (timezone.now() - started.started_at).total_seconds() < 4


def test_the_slot_kept_for_submissions_takes_no_selftest(slot: Slot, contest: Contest, alice: User) -> None:
    run(contest, alice, "print(1)")
    read, write = os.pipe()
    try:
        assert not Worker(slot, read, takes_selftests=False).step()
        assert Worker(slot, read).step()
    finally:
        os.close(read)
        os.close(write)


def test_the_blob_cache_holds_its_bound_and_keeps_what_was_just_used(slot: Slot, tmp_path: Path) -> None:
    cache = BlobCache(tmp_path / "small", bound_bytes=2500)
    rows = [blob(bytes([number]) * 1000) for number in range(4)]
    paths = [cache.path(row.pk) for row in rows]
    assert [path.stat().st_mode & 0o777 for path in paths] == [0o444] * 4
    for age, path in enumerate(paths):
        os.utime(path, (time.time() - 5000 + age,) * 2)
    cache.path(rows[0].pk)
    cache.shrink()
    assert [path.exists() for path in paths] == [True, False, False, True]
    assert cache.read(rows[1].pk) == b"\x01" * 1000
