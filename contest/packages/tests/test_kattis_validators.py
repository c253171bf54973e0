"""Validators of packages and flags of the default comparison."""

import pytest

from contest.packages.errors import PackageError
from contest.packages.kattis.validator import check_default_flags
from contest.packages.tests.packs import LEGACY, MODERN, changed, read, refusal

CUSTOM = {"problem.yaml": LEGACY["problem.yaml"] + b"validation: custom\nvalidator_flags: strict 3\n"}


def test_a_legacy_validator_is_used_when_problem_yaml_asks_for_it() -> None:
    files = {"output_validators/check/check.cpp": b"//", "output_validators/check/check.h": b"//"}
    package = read(changed(LEGACY) | CUSTOM | files)
    validator = package.comparison.validator
    assert validator is not None
    assert validator.language == "cpp"
    assert [file.name for file in validator.files] == ["check.cpp", "check.h"]
    assert package.comparison.flags == ("strict", "3")
    not_asked = read(changed(LEGACY) | files)
    assert not_asked.comparison.validator is None
    assert any("does not ask for it" in sentence for sentence in not_asked.report.ignored)


def test_a_validator_that_is_asked_for_must_be_there_and_be_one() -> None:
    assert "output_validators/ is empty" in refusal(changed(LEGACY) | CUSTOM)
    two = {"output_validators/a.py": b"", "output_validators/b.py": b""}
    assert "2 programs" in refusal(changed(LEGACY) | CUSTOM | two)


@pytest.mark.parametrize("files", [("check.py",), ("check.cpp", "help.h"), ("check/check.cpp",)])
def test_since_2023_07_the_folder_holds_or_is_the_validator(files: tuple[str, ...]) -> None:
    package = read(changed(MODERN) | {f"output_validator/{name}": b"x" for name in files})
    assert package.comparison.validator is not None
    assert [file.name for file in package.comparison.validator.files] == [name.split("/")[-1] for name in files]


def test_a_validator_in_an_unknown_language_or_built_by_a_script_is_refused() -> None:
    assert "no language" in refusal(changed(MODERN) | {"output_validator/check.kt": b""})
    scripted = {"output_validator/check/build": b"", "output_validator/check/check.cpp": b""}
    assert "built by scripts" in refusal(changed(MODERN) | scripted)


def test_an_interactive_problem_says_so() -> None:
    yaml = MODERN["problem.yaml"] + b"type: interactive\n"
    assert "empty" in refusal(changed(MODERN) | {"problem.yaml": yaml})
    assert read(changed(MODERN) | {"problem.yaml": yaml, "output_validator/talk.py": b""}).interactive


@pytest.mark.parametrize(
    "flags", ["", "case_sensitive space_change_sensitive", "float_tolerance 1e-6", "float_relative_tolerance 1"]
)
def test_known_flags_are_accepted(flags: str) -> None:
    check_default_flags(tuple(flags.split()))


@pytest.mark.parametrize(
    "flags",
    [
        "float_tolerence 1e-6",
        "float_tolerance",
        "float_tolerance nan",
        "float_tolerance -1",
        "1e-6",
        "float_tolerance inf",
        "float_tolerance x",
    ],
)
def test_a_lost_tolerance_is_refused(flags: str) -> None:
    with pytest.raises(PackageError):
        check_default_flags(tuple(flags.split()))
    assert refusal(changed(LEGACY) | {"problem.yaml": LEGACY["problem.yaml"] + f"validator_flags: {flags}".encode()})
