"""A package says the same in both forms of the format, and all of it arrives."""

import pytest

from contest.packages.tests.packs import LEGACY, MODERN, changed, opened, read, refusal


def test_a_legacy_package_arrives_whole() -> None:
    with opened(LEGACY) as package:
        assert package.source_format == "legacy"
        assert package.name == "Sums"
        assert package.limits.time_ms == 1500
        assert package.statements[0].markdown == "Add $a$ and $b$.\n"
        assert [(case.name, case.is_sample) for case in package.cases] == [("sample/1", True), ("secret/1", False)]
        assert package.cases[1].input.read() == b"20 22\n"
        assert package.cases[1].answer.read() == b"42\n"
        assert package.groups == ()
        assert package.submissions[0].program.language == "python"
        assert package.submissions[0].verdicts == ("AC",)
        assert package.credits.authors == ("Alice", "Bob")
        assert package.credits.license == "cc0"
        assert "Time limit 1.5 s, from .timelimit." in package.report.found
        assert any("LaTeX" in warning for warning in package.report.warnings)


def test_a_package_of_2023_07_arrives_whole() -> None:
    package = read(MODERN)
    assert package.source_format == "2023-07"
    assert package.limits.time_ms == 2500
    assert package.limits.memory_mib == 256
    assert package.limits.output_mib is None
    assert package.statements[0].markdown == "Add $a$ and $b$.\n"
    assert package.submissions[0].program.language == "cpp"
    assert package.comparison.validator is None
    assert package.uuid == "1"
    assert package.report.warnings == ()


def test_the_fingerprint_is_of_the_contents_not_of_the_packing() -> None:
    other = changed(MODERN) | {"data/secret/1.ans": b"43\n"}
    assert read(MODERN).sha256 == read(dict(sorted(MODERN.items(), reverse=True))).sha256 != read(other).sha256


@pytest.mark.parametrize("version", ["2025-09", "2099-01-draft", "draft", "1"])
def test_an_unknown_version_is_refused_with_what_was_found_and_what_is_understood(version: str) -> None:
    sentence = refusal(changed(MODERN) | {"problem.yaml": f"problem_format_version: {version}\nname: x".encode()})
    assert f"“{version}”" in sentence
    assert "legacy, legacy-icpc, 2023-07, 2023-07-draft" in sentence


@pytest.mark.parametrize(
    ("file", "kind"), [("problem.xml", "Polygon"), ("init.yml", "DMOJ"), ("readme.txt", "no problem.yaml")]
)
def test_another_format_is_named(file: str, kind: str) -> None:
    assert kind in refusal({file: b"", "data/1.in": b""})


@pytest.mark.parametrize("base", [LEGACY, MODERN])
def test_an_input_without_its_answer_is_refused(base: dict[str, bytes]) -> None:
    assert "data/secret/1.ans is missing" in refusal(changed(base, "data/secret/1.ans"))
    assert "data/sample/1.ans is missing" in refusal(changed(base, "data/sample/1.ans"))
    assert "data/secret/1.in is missing" in refusal(
        changed(base, "data/secret/1.in") | {"data/secret/2.in": b"", "data/secret/2.ans": b""}
    )


@pytest.mark.parametrize("base", [LEGACY, MODERN])
def test_a_package_without_secret_cases_or_statement_or_name_is_refused(base: dict[str, bytes]) -> None:
    assert "no secret test case" in refusal(changed(base, "data/secret/1.in", "data/secret/1.ans"))
    statements = [path for path in base if "statement" in path]
    assert "no statement" in refusal(changed(base, *statements))
    nameless = base["problem.yaml"].replace(b"name: Sums\n", b"")
    without_title = {"problem_statement/problem.en.tex": b"Add."} if base is LEGACY else {}
    assert "no name" in refusal(changed(base) | {"problem.yaml": nameless} | without_title)


@pytest.mark.parametrize(
    "path", ["problem.yaml", "data/secret/test_group.yaml", "submissions/submissions.yaml", "data/secret/1.yaml"]
)
def test_broken_yaml_is_refused_with_its_file_and_line(path: str) -> None:
    assert refusal(changed(MODERN) | {path: b"a: [1\nb: }\n"}).startswith(f"{path} is broken YAML: line 2")


@pytest.mark.parametrize(
    ("yaml", "sentence"),
    [
        ("limits: {time_limit: fast}", "“time_limit” in limits in problem.yaml must be a number"),
        ("limits: {time_limit: -1}", "must be a number from 0.001 to 60"),
        ("limits: {time_limit: .nan}", "must be a number"),
        ("limits: {memory: .inf}", "must be a number"),
        ("limits: [1]", "must be keys with values"),
        ("type: [interactive, riddle]", "“riddle”"),
        ('source: "a\\0b"', "“name” in source in problem.yaml must be a text"),
        ('uuid: "\\ud800"', "“uuid” in problem.yaml must be a text"),
        ('"\\0": 1', "must be keys with values"),
        ("type: submit-answer", "cannot judge"),
        ("type: multi-pass", "cannot judge"),
        ("constants: {a-b: 1}", "no name of a constant"),
    ],
)
def test_what_makes_no_sense_in_problem_yaml_is_refused(yaml: str, sentence: str) -> None:
    text = f"problem_format_version: 2023-07\nname: x\n{yaml}\n"
    assert sentence in refusal(changed(MODERN) | {"problem.yaml": text.encode()})


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("include/cpp/main.cpp", "adds files to every submission"),
        ("static_validator/check.py", "checks the source"),
        ("graders/grade.py", "computes scores"),
        ("data/secret/1.files/a.txt", "gives no files"),
        ("data/secret/1.args", "no arguments"),
    ],
)
def test_what_would_change_verdicts_and_is_not_done_is_refused(path: str, sentence: str) -> None:
    assert sentence in refusal(changed(MODERN) | {path: b"x"})


def test_a_misspelt_key_is_reported() -> None:
    yaml = MODERN["problem.yaml"].replace(b"memory", b"memmory")
    warnings = read(changed(MODERN) | {"problem.yaml": yaml}).report.warnings
    assert "The key “memmory” in limits in problem.yaml is not known and was ignored." in warnings


def test_a_missing_time_limit_gets_the_default_and_a_warning() -> None:
    package = read(changed(LEGACY, ".timelimit"))
    assert package.limits.time_ms == 2000
    assert any("no time limit; it is set to 2 s" in warning for warning in package.report.warnings)
    by_ini = read(changed(LEGACY, ".timelimit") | {"domjudge-problem.ini": b"timelimit='3'\n"})
    assert by_ini.limits.time_ms == 3000


def test_parts_that_are_not_used_are_named() -> None:
    more = {"generators/make.py": b"", "input_validators/check.py": b"", "notes.txt": b"", "data/secret/1.png": b""}
    ignored = " ".join(read(changed(MODERN) | more).report.ignored)
    for word in ("generators/", "input_validators/", "“notes.txt”", "pictures, hints"):
        assert word in ignored
