"""A host that is busy with other things makes no program too slow."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator

import pytest

from judge.programs import run_request
from judge.sandbox import Jail, RunResult, Status
from judge.tests.conftest import Programs

pytestmark = [
    pytest.mark.usefixtures("nothing_is_left"),
    pytest.mark.embedded,
    pytest.mark.slow,
]  # no database is involved

CPU_MS = 400
WALL_MS = 2 * CPU_MS + 1000
MEMORY_KB = 128 * 1024
COMPETITORS = 8


@contextlib.contextmanager
def one_busy_processor() -> Iterator[None]:
    """This process and the jails that it starts share one processor with programs that never wait."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    # Each in a session of its own: Linux shares time out among sessions first, and a jail is one.
    loop = ["/bin/sh", "-c", "while :; do :; done"]
    busy = [subprocess.Popen(loop, start_new_session=True) for _ in range(COMPETITORS)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()
        os.sched_setaffinity(0, before)


def run(jail: Jail, programs: Programs, name: str) -> RunResult:
    program = programs(name)
    with one_busy_processor():
        return jail.run(run_request(program, program.limits(CPU_MS, MEMORY_KB, 1024), MEMORY_KB, b""))


def test_who_waits_for_a_processor_does_not_wait(jail: Jail, programs: Programs) -> None:
    result = run(jail, programs, "uses_most_of_its_time.c")
    assert result.wall_ms > WALL_MS, "the host was busy enough for a wall clock that never stands still to end it"
    assert (result.status, result.exit_code) == (Status.EXITED, 0), result
    assert result.cpu_ms < CPU_MS


@pytest.mark.parametrize("name", ["sleeper.c", "stops_itself.c"])
def test_who_sleeps_is_ended_in_time_all_the_same(jail: Jail, programs: Programs, name: str) -> None:
    result = run(jail, programs, name)
    assert result.status is Status.WALL_LIMIT, result
    assert result.wall_ms < WALL_MS + 1500
