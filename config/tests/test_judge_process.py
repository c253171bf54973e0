"""The judge beside the site: restarted when it dies, and never left behind, however the site ends."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from config import judge_process
from config.judge_process import JudgeProcess

STUBBORN = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); open({!r}, 'a').write('x'); time.sleep(60)"
)
PATIENCE_S = 10.0


def signs(path: Path) -> str:
    """What the child has written so far."""
    return path.read_text() if path.exists() else ""


async def appears(path: Path, count: int = 1) -> None:
    """Until the child has written `count` signs of life."""
    async with asyncio.timeout(PATIENCE_S):
        while len(signs(path)) < count:  # noqa: ASYNC110 — written by another process
            await asyncio.sleep(0.02)


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.02)


def is_gone(process_id: int) -> bool:
    try:
        state = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state == "Z"


async def test_a_judge_that_dies_is_started_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge_process, "BACK_OFF_FIRST_S", 0.05)
    starts = tmp_path / "starts"
    judge = JudgeProcess([sys.executable, "-c", f"open({str(starts)!r}, 'a').write('x')"])
    running = asyncio.create_task(judge.run())
    await appears(starts, 3)
    running.cancel()
    await judge.stop()


async def test_a_judge_that_was_asked_to_end_is_not_started_again(tmp_path: Path) -> None:
    started = tmp_path / "started"
    child = f"import time; open({str(started)!r}, 'a').write('x'); time.sleep(60)"
    judge = JudgeProcess([sys.executable, "-c", child])
    running = asyncio.create_task(judge.run())
    await appears(started)
    judge.begin_stop()
    await asyncio.wait_for(running, PATIENCE_S)
    assert signs(started) == "x"
    await judge.stop()


async def test_a_judge_that_does_not_listen_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge_process, "STOP_PATIENCE_S", 0.3)
    started = tmp_path / "started"
    judge = JudgeProcess([sys.executable, "-c", STUBBORN.format(str(started))])
    running = asyncio.create_task(judge.run())
    await appears(started)
    assert judge._process is not None
    running.cancel()
    await judge.stop()
    judge._process.wait(5)
    assert judge._process.returncode == -signal.SIGKILL


def test_a_judge_does_not_outlive_a_site_that_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "id"
    child = f"import os, time; open({str(path)!r}, 'w').write(str(os.getpid()) + ' '); time.sleep(60)"
    parent = (
        "import sys, time; from config.judge_process import start_child;"
        f" start_child([sys.executable, '-c', {child!r}]); time.sleep(60)"
    )
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"}
    site = subprocess.Popen([sys.executable, "-c", parent], env=environment)
    try:
        wait_until(lambda: signs(path).endswith(" "))
        judge = int(signs(path))
        assert not is_gone(judge)
    finally:
        site.kill()
        site.wait()
    wait_until(lambda: is_gone(judge))
