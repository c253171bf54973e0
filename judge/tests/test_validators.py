"""A package's own validator decides, and its faults are nobody's verdict."""

from __future__ import annotations

from typing import Any

import pytest

from contest.models import Package, Problem, User
from contest.services.judging import RecordClaim, running
from contest.services.records import submit
from judge.tests.work import RIGHT, blob, judged
from judge.worker import Worker

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


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
