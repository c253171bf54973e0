"""A self-test runs, tells what it writes as far as there is room, and ends when its owner wants it."""

from __future__ import annotations

import os
import threading
import time

import pytest
from django.db import connection
from django.utils import timezone

from contest import events
from contest.models import Contest, SelfTestOutput, SelfTestRun, User
from contest.services.selftests import cancel_run, start_run
from judge.slot import Slot
from judge.worker import Worker

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


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
    assert "".join(started.output.order_by("offset").values_list("text", flat=True)).startswith("begun")
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
