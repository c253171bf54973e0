"""Validators of packages say 42 or 43; whatever else they do is the package's fault, never the contestant's."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from judge.checkers import Convention, Opinion, as_text, check_output
from judge.compiling import compile_sources
from judge.languages import LANGUAGES
from judge.programs import Program
from judge.sandbox import Jail

pytestmark = [
    pytest.mark.usefixtures("nothing_is_left"),
    pytest.mark.embedded,
    pytest.mark.slow,
]  # no database is involved

CAREFUL = """
import sys
given, answer, feedback = open(sys.argv[1]).read(), open(sys.argv[2]).read(), sys.argv[3]
output = sys.stdin.read()
open(feedback + "judgemessage.txt", "w").write(f"flags {sys.argv[4:]}, input {given!r}")
open(feedback + "teammessage.txt", "w").write("look again")
open(feedback + "score.txt", "w").write("12.5")
sys.exit(42 if output == answer else 43)
"""
TESTLIB = """
import sys
given, output, answer = (open(path).read() for path in sys.argv[1:4])
if output == "half": sys.stderr.write("points 0.5 half of it"); sys.exit(7)
sys.stderr.write("compared")
sys.exit({"1": 1, "2": 2}.get(output, 0 if output == answer else 1))
"""


@pytest.fixture
def folder(jail: Jail) -> Iterator[Path]:
    folder = jail.home / "validator"
    folder.mkdir()
    yield folder
    shutil.rmtree(folder)


def validator(jail: Jail, folder: Path, source: str, language: str = "python") -> Program:
    row = LANGUAGES[language]
    built = compile_sources(jail, row, {f"check{row.extensions[0]}": source.encode(), "notes.txt": b""}, folder)
    assert built.program is not None, built.diagnostics
    return built.program


def ask(
    jail: Jail,
    program: Program,
    output: bytes,
    convention: Convention = Convention.PACKAGE,
    flags: tuple[str, ...] = (),
) -> Opinion:
    opinion = check_output(jail, program, given=b"1 2", answer=b"3", output=output, flags=flags, convention=convention)
    assert opinion is not None
    return opinion


def test_a_package_validator_accepts_and_refuses_with_its_messages(jail: Jail, folder: Path) -> None:
    program = validator(jail, folder, CAREFUL)
    right = ask(jail, program, b"3", flags=("strict",))
    assert right == Opinion("AC", "flags ['strict'], input '1 2'", "look again", 12.5)  # type: ignore[arg-type]
    assert ask(jail, program, b"4").verdict == "WA"


def test_a_cpp_validator_works_and_reads_files_given_by_path(jail: Jail, folder: Path, tmp_path: Path) -> None:
    source = "#include <fstream>\n#include <iostream>\nint main(int, char **v) { std::ifstream a(v[2]); int x, y;"
    program = validator(jail, folder, source + " a >> x; std::cin >> y; return x == y ? 42 : 43; }", "cpp")
    for name in ("in", "ans"):
        (tmp_path / name).write_text("7\n")
        (tmp_path / name).chmod(0o444)
    opinion = check_output(jail, program, given=tmp_path / "in", answer=tmp_path / "ans", output=b"7")
    assert opinion is not None and opinion.verdict == "AC"
    assert (tmp_path / "ans").read_text() == "7\n"


@pytest.mark.parametrize(
    ("source", "word"),
    [
        ("import sys; sys.exit(0)", "status 0"),
        ("import sys; sys.exit(1)", "status 1"),
        ("import os; os.kill(os.getpid(), 11)", "signal 11"),
        ("raise SystemError('lost my mind')", "lost my mind"),
        ("import os; os._exit(44)", "status 44"),
        ("print('x' * 20_000_000)", "output_limit"),
    ],
)
def test_any_other_ending_is_a_judge_error(jail: Jail, folder: Path, source: str, word: str) -> None:
    opinion = ask(jail, validator(jail, folder, source), b"3")
    assert opinion.verdict == "JE"
    assert word in opinion.judge_message


def test_a_link_in_the_feedback_folder_is_never_followed(jail: Jail, folder: Path) -> None:
    source = "import os, sys; os.symlink('/test/answer', sys.argv[3] + 'judgemessage.txt'); sys.exit(42)"
    assert ask(jail, validator(jail, folder, source), b"3") == Opinion("AC")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("output", "verdict", "score"),
    [(b"3", "AC", None), (b"1", "WA", None), (b"2", "WA", None), (b"half", "AC", 0.5), (b"4", "WA", None)],
)
def test_testlib_checkers(jail: Jail, folder: Path, output: bytes, verdict: str, score: float | None) -> None:
    opinion = ask(jail, validator(jail, folder, TESTLIB), output, Convention.TESTLIB)
    assert (opinion.verdict, opinion.score) == (verdict, score)


def test_testlibs_own_failure_is_a_judge_error(plain_jail: Jail, jail: Jail, folder: Path) -> None:
    program = validator(jail, folder, "import sys; sys.stderr.write('FAIL no answer'); sys.exit(3)")
    opinion = ask(jail, program, b"3", Convention.TESTLIB)
    assert (opinion.verdict, "FAIL no answer" in opinion.judge_message) == ("JE", True)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"a\x00b\xffc", "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}c"),
        ("ääää".encode(), "ä" * 2),
        (b"12345678", "12345"),
    ],
)
def test_text_for_people_is_cut_on_code_points_without_nul(data: bytes, text: str) -> None:
    limit = 5 if data != b"a\x00b\xffc" else 100
    assert as_text(data, limit) == text
