"""What is expected of sample submissions, and which of them can be judged."""

import pytest

from contest.packages.tests.packs import LEGACY, MODERN, changed, read, refusal


def verdicts(files: dict[str, bytes]) -> dict[str, tuple[str, ...]]:
    return {submission.path: submission.verdicts for submission in read(files).submissions}


def with_submissions(*paths: str, yaml: bytes = b"") -> dict[str, bytes]:
    files = changed(MODERN) | {f"submissions/{path}": b"x" for path in paths}
    return files | ({"submissions/submissions.yaml": yaml} if yaml else {})


def test_folders_say_what_is_expected() -> None:
    found = verdicts(
        with_submissions("wrong_answer/a.py", "time_limit_exceeded/b.java", "run_time_error/c.js", "rejected/d.c",
                         "brute_force/e.go")
    )  # fmt: skip
    assert found == {
        "accepted/sums.cpp": ("AC",),
        "wrong_answer/a.py": ("WA",),
        "time_limit_exceeded/b.java": ("TLE",),
        "run_time_error/c.js": ("RE", "MLE", "OLE"),
        "rejected/d.c": ("WA", "TLE", "RE", "MLE", "OLE"),
        "brute_force/e.go": ("TLE", "RE", "MLE", "OLE"),
    }


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("mixed/a.py", "nothing says what verdict"),
        ("accepted/a.kt", "language is not known"),
        ("accepted/two/a.py", "several files"),
        ("accepted/a.py2", "language is not known"),
    ],
)
def test_what_cannot_be_judged_is_named_with_the_reason(path: str, reason: str) -> None:
    package = read(with_submissions(path, path.replace("a.", "b.")))
    assert path not in {submission.path for submission in package.submissions}
    assert any(reason in sentence for sentence in package.report.ignored)


def test_binary_and_overlong_submissions_are_not_judged() -> None:
    for contents in (b"\xff\xfe", b"a\0b", b"x" * 262_145):
        package = read(changed(MODERN) | {"submissions/accepted/odd.py": contents})
        assert len(package.submissions) == 1
        assert any("odd.py is not judged" in sentence for sentence in package.report.ignored)


def test_a_package_without_a_solution_gets_a_warning() -> None:
    package = read(changed(MODERN, "submissions/accepted/sums.cpp"))
    assert any("no accepted sample submission" in warning for warning in package.report.warnings)


def test_submissions_yaml_adds_to_the_folder_and_takes_its_place() -> None:
    yaml = b"""
time_limit_exceeded:
  permitted: [AC, WA, TLE]
  required: [TLE]
"mixed/*.{py,js}":
  permitted: [AC, RTE]
  required: [RTE]
rejected/slow.*:
  permitted: [AC, TLE]
odd/solution.txt:
  language: python3
  permitted: [AC]
  required: [AC]
"""
    found = verdicts(
        with_submissions("time_limit_exceeded/a.py", "mixed/a.py", "mixed/a.js", "mixed/a.c", "rejected/slow.py",
                         "odd/solution.txt", yaml=yaml)
    )  # fmt: skip
    assert found == {
        "accepted/sums.cpp": ("AC",),
        "time_limit_exceeded/a.py": ("WA", "TLE"),
        "mixed/a.py": ("RE", "MLE", "OLE"),
        "mixed/a.js": ("RE", "MLE", "OLE"),
        "rejected/slow.py": ("TLE",),
        "odd/solution.txt": ("AC",),
    }


def test_patterns_cost_little_and_unknown_verdicts_are_refused() -> None:
    bomb = b"'" + b"{a,b}" * 40 + b"': {permitted: [AC]}\n"
    assert "too many names" in refusal(with_submissions(yaml=bomb))
    assert "“OK”" in refusal(with_submissions(yaml=b"accepted: {permitted: [OK]}\n"))
    stars = b"'accepted/" + b"*a" * 60 + b"b': {permitted: [WA]}\n"
    assert verdicts(with_submissions("accepted/" + "a" * 200 + ".py", yaml=stars))["accepted/sums.cpp"] == ("AC",)


def test_legacy_python_2_is_not_taken_for_python_3() -> None:
    package = read(changed(LEGACY) | {"submissions/accepted/old.py": b"#!/usr/bin/python2\nprint 1\n"})
    assert [submission.path for submission in package.submissions] == ["accepted/sums.py"]
