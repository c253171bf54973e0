"""Whoever dies, and whoever runs it: the jail leaves nothing behind and says what it can do."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from judge.programs import make_box, place_file
from judge.sandbox import Jail, Limits, RunRequest, RunResult, Status
from judge.sandbox.cgroups import find_groups
from judge.sandbox.setup import jail_home, sweep_homes
from judge.tests.conftest import Programs
from judge.verdicts import verdict_of_run

pytestmark = [pytest.mark.embedded, pytest.mark.slow]  # no database is involved

ROOT = Path(__file__).resolve().parent.parent.parent

JUDGE_A_SLEEPER = """
import sys
from pathlib import Path
from judge.sandbox import Jail, Limits, RunRequest
from judge.sandbox.setup import jail_home
with jail_home(Path(sys.argv[1])) as home, Jail(home) as jail:
    limits = Limits(cpu_ms=60_000, memory_kb=65536)
    say = lambda name, chunk: print(home, chunk.decode(), flush=True)
    jail.run(RunRequest(("/bin/sh", "-c", "echo $$ asleep; exec sleep 86399"), limits), on_output=say)
"""


def sleepers() -> list[str]:
    """Processes of the program that the helper of a jail was told to run, inside and outside."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes()
        except OSError:
            continue
        if b"86399" in words and b"judge.sandbox" not in words:
            found.append(words.decode(errors="replace"))
    return found


def wait_until(done: object, seconds: float = 5.0) -> None:
    assert callable(done)
    deadline = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.01)


@pytest.fixture
def killed_judge(home: Path) -> Iterator[tuple[int, Path]]:
    """A judge of its own process that was killed with SIGKILL while a program ran."""
    judge = subprocess.Popen(
        [sys.executable, "-c", JUDGE_A_SLEEPER, str(home)],
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env={"PATH": os.environ["PATH"]},
    )
    assert judge.stdout is not None
    line = judge.stdout.readline().decode()
    assert "asleep" in line, line
    its_home = Path(line.split()[0])
    assert its_home.is_dir() and len(sleepers()) >= 2
    judge.kill()
    assert judge.wait() == -signal.SIGKILL
    judge.stdout.close()
    yield judge.pid, its_home
    sweep_homes()


@pytest.fixture(autouse=True)
def own_helper(home: Path) -> None:
    """The helper under the name that the cache looks for, so that each subprocess need not compile it."""
    from judge.sandbox.setup import helper_name

    target = home / helper_name()
    if not target.exists():
        shutil.copy(home / "helper", target)


def test_a_killed_judge_takes_its_program_along(killed_judge: tuple[int, Path]) -> None:
    wait_until(lambda: not sleepers())


def test_what_a_killed_judge_left_on_disk_and_in_groups_goes_with_the_next_one(
    killed_judge: tuple[int, Path], plain_jail: Jail
) -> None:
    pid, its_home = killed_judge
    wait_until(lambda: not sleepers())
    assert its_home.is_dir(), "the premise: a killed process tidies nothing"
    with jail_home(plain_jail.home) as home, Jail(home):
        assert not its_home.exists()
        left = [path for parent in find_groups().parents.values() for path in parent.glob(f"fathom-judge-{pid}-*")]
        assert left == []
        assert plain_jail.home.exists(), "a living judge's folder stays"


JUDGE_WITHOUT_END = """
import sys
from pathlib import Path
from judge.sandbox import Jail, Limits, RunRequest
from judge.sandbox.setup import jail_home
with jail_home(Path(sys.argv[1])) as home, Jail(home) as jail:
    print(home, flush=True)
    while True:
        jail.run(RunRequest(("/usr/bin/true",), Limits(cpu_ms=1000, memory_kb=65536)))
"""


def naming(word: str) -> list[int]:
    """Processes with `word` in their command line."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if word.encode() in entry.read_bytes():
                found.append(int(entry.parent.name))
        except OSError:
            continue
    return found


@pytest.mark.parametrize("after_ms", range(0, 24, 2))
def test_killed_at_any_moment_of_a_jails_start_it_leaves_no_process(home: Path, after_ms: int) -> None:
    """bubblewrap's child asks for the kernel's death signal late: a jail cut off before must end all the same."""
    judge = subprocess.Popen(
        [sys.executable, "-c", JUDGE_WITHOUT_END, str(home)],
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env={"PATH": os.environ["PATH"]},
    )
    assert judge.stdout is not None
    its_home = judge.stdout.readline().decode().strip()
    wait_until(lambda: naming(its_home))  # a jail is about to start
    time.sleep(after_ms / 1000)
    judge.kill()
    judge.wait()
    judge.stdout.close()
    wait_until(lambda: not naming(its_home))
    sweep_homes()


def test_who_takes_a_user_id_ends_what_still_runs_under_it(home: Path) -> None:
    with Jail(home) as first:
        uid = first.identity.uid
    if uid is None:
        assert os.geteuid() != 0, "only root has user ids to give"
        return
    stray = subprocess.Popen(["/bin/sleep", "1000"], user=uid, group=uid, extra_groups=[])
    assert stray.poll() is None
    with Jail(home) as second:
        assert second.identity.uid == uid
        assert stray.wait(5) == -signal.SIGKILL


def test_a_run_that_is_not_wanted_any_more_ends_at_once(jail: Jail, nothing_is_left: None) -> None:
    limits = Limits(cpu_ms=10_000, memory_kb=65536)
    begun = time.monotonic()
    seen: list[tuple[str, bytes]] = []
    result = jail.run(
        RunRequest(("/bin/sh", "-c", "echo one; echo two >&2; exec sleep 100"), limits),
        on_output=lambda name, chunk: seen.append((name, chunk)),
        should_stop=lambda: len(seen) == 2,
    )
    assert result.status is Status.CANCELLED
    assert sorted(seen) == [("stderr", b"two\n"), ("stdout", b"one\n")]
    assert time.monotonic() - begun < 2


def test_an_error_on_our_side_ends_the_program_too(jail: Jail, nothing_is_left: None) -> None:
    class DatabaseAway(Exception):
        pass

    def ask() -> bool:
        raise DatabaseAway

    with pytest.raises(DatabaseAway):
        jail.run(RunRequest(("/bin/sleep", "100"), Limits(cpu_ms=60_000, memory_kb=65536)), should_stop=ask)


def test_output_arrives_while_the_program_runs(jail: Jail, nothing_is_left: None) -> None:
    limits = Limits(cpu_ms=2000, memory_kb=65536)
    moments: list[float] = []
    result = jail.run(
        RunRequest(("/bin/sh", "-c", "echo one; sleep 1; echo two"), limits),
        on_output=lambda name, chunk: moments.append(time.monotonic()),
    )
    assert (result.status, result.stdout) == (Status.EXITED, b"one\ntwo\n")
    assert moments[1] - moments[0] > 0.8


def test_a_program_that_cannot_be_started_is_the_judges_fault(jail: Jail, nothing_is_left: None) -> None:
    result = jail.run(RunRequest(("/usr/bin/no-such-program",), Limits(cpu_ms=500, memory_kb=65536)))
    assert (result.status, result.why) == (Status.FAULT, "The program could not be started: No such file or directory.")


def test_what_the_kernel_takes_for_no_program_is_the_sources_fault(jail: Jail, nothing_is_left: None) -> None:
    box = make_box(jail)
    try:
        place_file(box, "main", b"\x7fELF but nothing more", executable=True)
        result = jail.run(RunRequest(("/box/main",), Limits(cpu_ms=500, memory_kb=65536), box=box))
        absent = jail.run(RunRequest(("/box/other",), Limits(cpu_ms=500, memory_kb=65536), box=box))
    finally:
        shutil.rmtree(box)
    assert (result.status, verdict_of_run(result)) == (Status.UNSTARTABLE, "RE"), result
    assert absent.status is Status.FAULT, "somebody took the file away"


def test_a_jail_that_does_not_start_is_the_judges_fault(
    jail: Jail, nothing_is_left: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("judge.sandbox.command.BWRAP", "/usr/bin/false")
    result = jail.run(RunRequest(("/usr/bin/true",), Limits(cpu_ms=500, memory_kb=65536)))
    assert (result.status, result.why) == (Status.FAULT, "The jail did not start: it said nothing")


def test_signals_to_the_judges_terminal_do_not_reach_programs(programs: Programs, plain_jail: Jail) -> None:
    limits = Limits(cpu_ms=1000, memory_kb=65536)
    groups: list[int] = []

    def note(_name: str, _chunk: bytes) -> None:
        groups.extend(os.getsid(int(entry.name)) for entry in Path("/proc").glob("[0-9]*") if _is_ours(entry))

    plain_jail.run(RunRequest(("/bin/sh", "-c", "echo here; sleep 0.2; : 86398"), limits), on_output=note)
    assert groups and os.getsid(0) not in groups


def _is_ours(entry: Path) -> bool:
    try:
        return b"86398" in (entry / "cmdline").read_bytes()
    except OSError:
        return False


TRIAL_WITHOUT_ROOT = """
import os, sys
from pathlib import Path
from judge.sandbox import Jail, Limits, RunRequest
from judge.sandbox.setup import jail_home
assert os.geteuid() != 0
given = Path(sys.argv[1]) / "input"
given.write_bytes(b"unchanged")
with jail_home(Path(sys.argv[1])) as home, Jail(home) as jail:
    limits = Limits(cpu_ms=1000, memory_kb=65536, processes=8)
    script = "id -u; chmod 666 /proc/self/fd/0; echo changed > /proc/self/fd/0; "
    script += "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 0.3 & done; wait"
    result = jail.run(RunRequest(("/bin/sh", "-c", script), limits, stdin=given))
print(jail.identity.is_separate, given.read_text(), result)
"""


def test_without_root_programs_run_under_the_judges_own_user_but_jailed_all_the_same() -> None:
    is_root = os.geteuid() == 0
    uid = 61100 if is_root else os.geteuid()
    as_user: dict[str, Any] = {"user": uid, "group": uid, "extra_groups": []} if is_root else {}
    folder = Path(tempfile.mkdtemp(prefix="judge-no-root-"))
    try:
        shutil.copytree(ROOT / "judge", folder / "judge", ignore=shutil.ignore_patterns("__pycache__", "tests"))
        if is_root:
            os.chown(folder, uid, uid)
        done = subprocess.run(
            ["/usr/bin/python3", "-c", TRIAL_WITHOUT_ROOT, str(folder)],
            cwd=folder,
            env={"PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"},
            **as_user,
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        shutil.rmtree(folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("False unchanged RunResult"), done.stdout
    assert f"stdout=b'{uid}\\n'" in done.stdout
    assert "Cannot fork" in done.stdout, "its own namespace counts its processes"


def test_statuses_are_all_told_apart() -> None:
    assert RunResult(Status.EXITED, exit_code=0).succeeded
    assert not RunResult(Status.EXITED, exit_code=1).succeeded
    assert not RunResult(Status.FAULT).succeeded
