"""Starting and stopping the whole program, as an operator does."""

from __future__ import annotations

import os
import re
import signal
import time
import urllib.request
from collections.abc import Iterator

import pytest

from e2e.conftest import NewSite
from e2e.harness.processes import children, command_line, descendants, waited_for_processor_s
from e2e.harness.windows import SLACK_S
from tools.site_process import SiteProcess

SECOND_START_WITHIN_S = 5.0
ENDS_WITHIN_S = 10.0
JUDGE_IS_BACK_WITHIN_S = 30.0
"""The pause before the second restart, two seconds, and a start on a busy machine."""


@pytest.fixture
def stopped(new_site: NewSite) -> Iterator[SiteProcess]:
    site = new_site()
    yield site
    site.end()


@pytest.fixture
def empty(new_site: NewSite) -> Iterator[SiteProcess]:
    """Its first start has everything to do."""
    site = new_site(empty=True)
    yield site
    site.end()


def test_a_second_start_is_ready_in_five_seconds_and_sigterm_leaves_no_process(stopped: SiteProcess) -> None:
    stopped.start()
    assert stopped.stop() == 0
    started = time.monotonic()
    stopped.start()
    took_s = time.monotonic() - started
    assert stopped.process is not None
    # What other tests took of the processors at that moment is not the start's doing.
    assert took_s - waited_for_processor_s(stopped.process.pid) < SECOND_START_WITHIN_S + SLACK_S
    family = descendants(stopped.process.pid)
    assert any("judge" in line for line in family.values()), f"no judge was started: {family}"

    stopping = time.monotonic()
    assert stopped.stop() == 0
    assert time.monotonic() - stopping < ENDS_WITHIN_S
    # Whoever was killed with its parent ends when it gets a processor.
    while left := {process: line for process, line in family.items() if command_line(process) == line}:
        assert time.monotonic() - stopping < ENDS_WITHIN_S, f"left behind: {left}"
        time.sleep(0.05)


def test_it_listens_on_the_given_port_and_keeps_its_data_private_in_the_given_folder(empty: SiteProcess) -> None:
    empty.start()
    with urllib.request.urlopen(f"{empty.url}/healthz") as answer:
        assert answer.status == 200
    assert f"Fathom is ready at {empty.url}" in empty.log
    assert any(re.search(r"alice.*demo-alice", line) for line in empty.log), "the demo accounts were not printed"
    assert (empty.data_dir / "fathom.sqlite3").exists() or "DATABASE_URL" in empty.environment
    assert empty.data_dir.stat().st_mode & 0o077 == 0


def test_two_kills_of_the_judge_do_not_end_the_site(stopped: SiteProcess) -> None:
    stopped.start()
    assert stopped.process is not None
    for _ in range(2):
        judge = _wait_for_judge(stopped.process.pid)
        os.kill(judge, signal.SIGKILL)
        assert _wait_for_judge(stopped.process.pid, other_than=judge) != judge
    with urllib.request.urlopen(f"{stopped.url}/healthz") as answer:
        assert answer.status == 200


def _wait_for_judge(root: int, other_than: int = 0) -> int:
    """Its first process: those below it, which are called the same, outlive it for a moment."""
    deadline = time.monotonic() + JUDGE_IS_BACK_WITHIN_S
    while time.monotonic() < deadline:
        for process, line in children(root).items():
            if "manage.py judge" in line and process != other_than:
                return process
        time.sleep(0.05)
    raise AssertionError(f"no judge among {descendants(root)}")
