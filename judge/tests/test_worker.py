"""A slot judges what waits, case by case, by the contest's rules."""

from __future__ import annotations

import pytest

from contest import events
from contest.models import Contest, Package, PackageTest, Problem, User
from judge.tests.work import FIRST_ONLY, RIGHT, add_case, judged
from judge.worker import Worker

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


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
    monkeypatch.setattr("judge.lease_keeper.FLUSH_EVERY_S", 3600.0)  # however slow the machine is
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


def test_a_package_without_cases_accepts_nothing(worker: Worker, problem: Problem, alice: User) -> None:
    PackageTest.objects.all().delete()
    record = judged(worker, problem, alice, RIGHT)
    assert (record.verdict, "no test cases" in record.staff_message) == ("JE", True)
