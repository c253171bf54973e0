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
from e2e.harness.processes import command_line, descendants, waited_for_processor_s
from tools.site_process import SiteProcess

SECOND_START_WITHIN_S = 5.0
ENDS_WITHIN_S = 10.0


@pytest.fixture
def fresh(new_site: NewSite) -> Iterator[SiteProcess]:
    site = new_site(empty=True)
    yield site
    site.end()


def test_a_second_start_is_ready_in_five_seconds_and_sigterm_leaves_no_process(fresh: SiteProcess) -> None:
    fresh.start()
    assert fresh.stop() == 0
    started = time.monotonic()
    fresh.start()
    took_s = time.monotonic() - started
    assert fresh.process is not None
    # What other tests took of the processors at that moment is not the start's doing.
    assert took_s - waited_for_processor_s(fresh.process.pid) < SECOND_START_WITHIN_S
    family = descendants(fresh.process.pid)
    assert any("judge" in line for line in family.values()), f"no judge was started: {family}"

    stopping = time.monotonic()
    assert fresh.stop() == 0
    assert time.monotonic() - stopping < ENDS_WITHIN_S
    assert {process: line for process in family if (line := command_line(process)) == family[process]} == {}


def test_it_listens_on_the_given_port_and_keeps_its_data_private_in_the_given_folder(fresh: SiteProcess) -> None:
    fresh.start()
    with urllib.request.urlopen(f"{fresh.url}/healthz") as answer:
        assert answer.status == 200
    assert f"Fathom is ready at {fresh.url}" in fresh.log
    assert any(re.search(r"alice.*demo-alice", line) for line in fresh.log), "the demo accounts were not printed"
    assert (fresh.data_dir / "fathom.sqlite3").exists() or "DATABASE_URL" in fresh.environment
    assert fresh.data_dir.stat().st_mode & 0o077 == 0


def test_two_kills_of_the_judge_do_not_end_the_site(fresh: SiteProcess) -> None:
    fresh.start()
    assert fresh.process is not None
    for _ in range(2):
        judge = _wait_for_judge(fresh.process.pid)
        os.kill(judge, signal.SIGKILL)
        assert _wait_for_judge(fresh.process.pid, other_than=judge) != judge
    with urllib.request.urlopen(f"{fresh.url}/healthz") as answer:
        assert answer.status == 200


def _wait_for_judge(root: int, other_than: int = 0) -> int:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        for process, line in descendants(root).items():
            if "manage.py judge" in line and process != other_than:
                return process
        time.sleep(0.05)
    raise AssertionError(f"no judge among {descendants(root)}")
