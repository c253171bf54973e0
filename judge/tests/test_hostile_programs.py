"""What strangers' programs try, each with the verdict it gets, in time, and nothing left behind."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from judge.programs import run_request
from judge.sandbox import Jail, RunResult, Status
from judge.tests.conftest import Programs
from judge.verdicts import verdict_of_run

CPU_MS = 400
MEMORY_KB = 128 * 1024
OUTPUT_BYTES = 1024 * 1024
AFTER_LIMIT_S = 2.0
"""The verdict is there that long after the last limit that may end a program, the wall's (2 × CPU + 1 s), is over."""

pytestmark = [
    pytest.mark.usefixtures("nothing_is_left"),
    pytest.mark.embedded,
    pytest.mark.slow,
]  # no database is involved


def run(jail: Jail, programs: Programs, name: str, stdin: bytes | Path = b"", cpu_ms: int = CPU_MS) -> RunResult:
    program = programs(name)
    limits = program.limits(cpu_ms, MEMORY_KB, OUTPUT_BYTES)
    before = time.monotonic()
    result = jail.run(run_request(program, limits, MEMORY_KB, stdin))
    assert time.monotonic() - before < limits.effective_wall_ms / 1000 + AFTER_LIMIT_S
    return result


@pytest.mark.parametrize(
    ("name", "status", "verdict"),
    [
        ("fork_bomb.c", Status.WALL_LIMIT, "TLE"),
        ("two_gigabytes.c", Status.MEMORY_LIMIT, "MLE"),
        ("shared_memory.c", Status.MEMORY_LIMIT, "MLE"),
        ("memory_in_files.c", Status.MEMORY_LIMIT, "MLE"),
        ("endless_recursion.c", Status.MEMORY_LIMIT, "MLE"),
        ("endless_loop.c", Status.CPU_LIMIT, "TLE"),
        ("ignores_xcpu.c", Status.CPU_LIMIT, "TLE"),
        ("sleeper.c", Status.WALL_LIMIT, "TLE"),
        ("stops_itself.c", Status.WALL_LIMIT, "TLE"),
        ("stops_helper.c", Status.WALL_LIMIT, "TLE"),
        ("kills_all.c", Status.SIGNALED, "RE"),
        ("endless_output.c", Status.OUTPUT_LIMIT, "OLE"),
        ("endless_errors.c", Status.OUTPUT_LIMIT, "OLE"),
    ],
)
def test_gets_its_verdict_in_time(jail: Jail, programs: Programs, name: str, status: Status, verdict: str) -> None:
    result = run(jail, programs, name)
    if name == "fork_bomb.c":
        # Its processes fight for the time: which limit it meets first is the scheduler's choice.
        assert result.status in (Status.WALL_LIMIT, Status.CPU_LIMIT), result
    else:
        assert result.status is status, result
    assert verdict_of_run(result) == verdict


def test_the_time_of_children_that_nobody_waits_for_counts(jail: Jail, programs: Programs) -> None:
    result = run(jail, programs, "children_count.c", cpu_ms=120)
    assert (result.status, verdict_of_run(result)) == (Status.CPU_LIMIT, "TLE"), result


def test_the_time_of_children_that_the_kernel_reaps_counts(jail: Jail, programs: Programs) -> None:
    """Half a second of computing in the children's own time; the program itself only waits."""
    result = run(jail, programs, "children_reap_themselves.c", cpu_ms=250)
    assert (result.status, verdict_of_run(result)) == (Status.CPU_LIMIT, "TLE"), result
    allowed = run(jail, programs, "children_reap_themselves.c", cpu_ms=1500)
    assert (allowed.status, allowed.stdout) == (Status.EXITED, b"done\n"), allowed
    assert allowed.cpu_ms > 400, "what they used is shown, too"


def test_no_memory_is_held_that_nobody_counts(jail: Jail, programs: Programs) -> None:
    result = run(jail, programs, "hidden_memory.c")
    if jail.groups.available:
        assert (result.status, verdict_of_run(result)) == (Status.MEMORY_LIMIT, "MLE"), result
    else:
        assert (result.status, result.stdout) == (Status.EXITED, b"0\n"), result


@pytest.mark.parametrize(
    "name",
    [
        "writes_outside.c",
        "changes_input.c",
        "forbidden_calls.c",
        "touches_helper.c",
        "closes_descriptors.c",
        "many_threads.c",
        "fills_scratch.c",
        "fork_and_leave.c",
    ],
)
def test_finds_no_way_out_and_ends_by_itself(jail: Jail, programs: Programs, name: str) -> None:
    result = run(jail, programs, name, stdin=b"secret input\n")
    assert (result.status, result.exit_code) == (Status.EXITED, 0), result


def test_reads_no_secret_of_the_host(jail: Jail, programs: Programs) -> None:
    assert Path("/etc/passwd").read_bytes(), "there is something to be read"
    result = run(jail, programs, "reads_secrets.c")
    assert (result.exit_code, result.stdout) == (0, b""), result


@contextlib.contextmanager
def _listening() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)):
            yield port


def test_reaches_no_network_not_even_this_hosts_loopback(jail: Jail, programs: Programs) -> None:
    with _listening() as port:
        result = run(jail, programs, "uses_network.c", stdin=b"%d\n" % port)
    assert (result.status, result.exit_code, result.stdout) == (Status.EXITED, 0, b"0\n")


def test_its_input_file_stays_as_it_is(jail: Jail, programs: Programs, tmp_path: Path) -> None:
    given = tmp_path / "input"
    given.write_bytes(b"1 2\n")
    result = run(jail, programs, "changes_input.c", stdin=given)
    assert (result.exit_code, given.read_bytes()) == (0, b"1 2\n")


def test_not_reading_the_input_is_no_error(jail: Jail, programs: Programs) -> None:
    result = run(jail, programs, "ignores_input.c", stdin=b"x" * 10_000_000)
    assert (result.status, result.exit_code, result.stdout) == (Status.EXITED, 0, b"42\n")


def test_deep_recursion_may_use_the_memory_limit_as_its_stack(jail: Jail, programs: Programs) -> None:
    result = run(jail, programs, "deep_recursion.c")
    assert (result.status, result.exit_code, result.stdout) == (Status.EXITED, 0, b"102400\n"), result
    assert 100 * 1024 < result.memory_kb < MEMORY_KB


def test_the_measured_time_and_memory_are_the_programs_own(jail: Jail, programs: Programs) -> None:
    result = run(jail, programs, "ignores_input.c")
    assert result.cpu_ms < 50
    assert result.memory_kb < 8 * 1024, "a fork of this big process would have started with its peak"
