"""The demo problems are packages that a strict reader has nothing to say against."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from contest.demo import LABELS, PROBLEMS
from contest.markdown import render_markdown
from contest.packages.reading import open_package

WANTED_VERDICTS = {"AC", "WA", "TLE", "RE"}


@pytest.mark.parametrize("label", LABELS)
def test_a_demo_problem_has_all_that_the_contract_promises(label: str) -> None:
    with open_package(PROBLEMS / label) as package:
        assert package.report.warnings == ()
        assert sum(case.is_sample for case in package.cases) >= 2
        assert sum(not case.is_sample for case in package.cases) >= 10
        assert {submission.verdicts[0] for submission in package.submissions} >= WANTED_VERDICTS
        for verdict in ("AC", "WA", "TLE"):
            languages = {one.program.language for one in package.submissions if one.verdicts[0] == verdict}
            assert languages >= {"cpp", "python"}, verdict
        assert {statement.language for statement in package.statements} == {"en", "ko"}


def test_both_forms_of_the_format_a_tolerance_a_checker_and_subtasks_are_among_them() -> None:
    packages = {}
    for label in LABELS:
        with open_package(PROBLEMS / label) as package:
            packages[label] = package
    assert [package.source_format for package in packages.values()].count("legacy") == 2
    assert packages["B"].cases[-1].flags == ("float_tolerance", "1e-9")
    assert packages["D"].comparison.validator is not None
    assert [(group.name, group.score) for group in packages["E"].groups if group.score] == [
        ("1-small", 20),
        ("2-middle", 30),
        ("3-huge", 50),
    ]
    assert {one.program.language for one in packages["A"].submissions} >= {"c", "cpp", "python", "java", "javascript"}


@pytest.mark.parametrize("label", LABELS)
def test_the_test_data_is_what_the_generator_writes(label: str, tmp_path: Path) -> None:
    subprocess.run([sys.executable, PROBLEMS / label / "generators/make.py", tmp_path], check=True)
    written = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*.*") if path.is_file()}
    data = PROBLEMS / label / "data"
    kept = {path.relative_to(data): path.read_bytes() for path in data.rglob("*.*") if path.is_file()}
    assert written
    assert {path: kept.get(path) for path in written} == written
    assert {path for path in kept if path.suffix in (".in", ".ans")} <= written.keys()


@pytest.mark.parametrize("label", LABELS)
def test_every_input_keeps_the_promises_of_the_statement(label: str) -> None:
    validator = PROBLEMS / label / "input_validators/validate.py"
    inputs = sorted((PROBLEMS / label / "data").rglob("*.in"))
    assert inputs
    for path in inputs:
        with path.open("rb") as contents:
            assert subprocess.run([sys.executable, validator], stdin=contents, check=False).returncode == 42, path
    wrong = subprocess.run([sys.executable, validator], input=b"nothing of the kind\n", check=False)
    assert wrong.returncode == 43


@pytest.mark.parametrize("label", LABELS)
def test_every_formula_of_a_statement_becomes_mathml(label: str) -> None:
    with open_package(PROBLEMS / label) as package:
        for statement in package.statements:
            html = render_markdown(statement.markdown or "")
            assert "<math" in html
            assert "math-source" not in html
            assert "$" not in html


def test_all_demo_problems_together_stay_small() -> None:
    assert sum(path.stat().st_size for path in PROBLEMS.rglob("*") if path.is_file()) < 2_000_000
