"""Self-tests leave the judge to others: by the wall clock, and by their place behind submissions."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from contest.models import Contest, SelfTestRun, User
from contest.services.records import submit
from contest.services.selftests import RUN_CPU_MS, RUN_WALL_MS, start_run
from judge import selftesting
from judge.blobs import BlobCache
from judge.languages import LANGUAGES
from judge.packages import PackageCache
from judge.programs import Program
from judge.queue import next_job
from judge.sandbox import Jail
from judge.slot import Slot
from judge.worker import Worker

pytestmark = pytest.mark.django_db(transaction=True)
SLEEPER = "print('begun', flush=True)\nimport time\ntime.sleep(60)"


def slot_of(jail: Jail, folder: Path) -> Slot:
    blobs = BlobCache(folder / "blobs")
    return Slot("test/0", jail, blobs, PackageCache(folder, blobs), lambda: False)


def start(contest: Contest, user: User) -> SelfTestRun:
    return start_run(contest, user, language="python", source=SLEEPER, stdin="", command_key=f"{user.pk}/selftest/1")


@pytest.mark.parametrize("name", sorted(LANGUAGES))
def test_no_language_lets_a_run_sleep_for_longer(name: str, tmp_path: Path) -> None:
    limits = selftesting.run_limits(Program(LANGUAGES[name], tmp_path, "main", "main"))
    assert limits.effective_wall_ms <= RUN_WALL_MS
    assert RUN_CPU_MS <= limits.cpu_ms <= limits.effective_wall_ms, "who computes all the time is cut by nothing new"


def test_a_submission_goes_before_a_selftest_that_waits_for_longer(
    contest: Contest, alice: User, bob: User, plain_jail: Jail, tmp_path: Path
) -> None:
    waits = start(contest, alice)
    record = submit(contest.problems.get(), bob, language="python", source="print(3)")
    assert waits.queued_at < record.queued_at, "the premise"
    slot = slot_of(plain_jail, tmp_path)
    jobs = [next_job(slot, takes_selftests=True) for _ in range(2)]
    assert [job and job.name for job in jobs] == [f"record {record.pk}", f"self-test {waits.pk}"]


@pytest.mark.slow
def test_a_sleeping_selftest_gives_its_slot_back_in_time(
    contest: Contest, alice: User, plain_jail: Jail, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selftesting, "RUN_WALL_MS", 3000)
    started = start(contest, alice)
    read, write = os.pipe()
    before = time.monotonic()
    try:
        assert Worker(slot_of(plain_jail, tmp_path), read).step()
    finally:
        os.close(read)
        os.close(write)
    started.refresh_from_db()
    output = "".join(started.output.order_by("offset").values_list("text", flat=True))
    assert output == "begun\n", "the premise: it ran, and then slept"
    assert started.verdict == "TLE"
    assert time.monotonic() - before < 20, "python's own wall limit is 31 s"
