"""Output validators of packages, run in the jail like any program.

Two conventions. Problem package format: `validator INPUT ANSWER FEEDBACK_DIR flags… < output`, 42 accepted,
43 wrong, anything else a fault of the package. testlib: `checker INPUT OUTPUT ANSWER`, 0 accepted,
1 and 2 wrong, 7 partly accepted, 3 and anything else a fault of the package.
"""

from __future__ import annotations

import math
import os
import re
import shutil
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from judge.languages import configuration_binds
from judge.programs import Program, make_box, place_file
from judge.sandbox import Bind, Jail, RunRequest, RunResult, Status
from judge.sandbox.model import MIB
from judge.sandbox.pump import ShouldStop
from judge.verdicts import Verdict

ACCEPTED_EXIT, WRONG_EXIT = 42, 43
FEEDBACK_BYTES = MIB
MESSAGE_BYTES = 4096
_CPU_MS = 30_000
_MEMORY_KB = 1024 * 1024
_TESTLIB = {0: Verdict.AC, 1: Verdict.WA, 2: Verdict.WA, 7: Verdict.AC}
_TESTLIB_POINTS = re.compile(rb"\bpoints\s+(\d+(?:\.\d+)?)")


class Convention(StrEnum):
    PACKAGE = "package"
    TESTLIB = "testlib"


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a validator says of one output.

    `judge_message` is for staff, `team_message` for the contestant; `score` is what the validator gave,
    in the package's own scale, None if it gave none. For JE, `judge_message` says what went wrong.
    """

    verdict: Verdict
    judge_message: str = ""
    team_message: str = ""
    score: float | None = None


def as_text(data: bytes, limit: int = MESSAGE_BYTES) -> str:
    """For a text column: cut on a code point, broken bytes shown as replacement characters, no NUL."""
    text = data[: limit + 3].decode("utf-8", "replace").replace("\x00", "\N{REPLACEMENT CHARACTER}")
    cut = text.encode()[:limit]
    return cut.decode("utf-8", "ignore").rstrip()


def _score(text: bytes | None) -> float | None:
    if text is None:
        return None
    try:
        value = float(text.strip().decode("ascii"))
    except (ValueError, UnicodeDecodeError):
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _trouble(result: RunResult) -> str:
    if result.status is Status.EXITED:
        what = f"The validator ended with status {result.exit_code}."
    elif result.status is Status.SIGNALED:
        what = f"The validator was ended by signal {result.signal}."
    else:
        what = f"The validator did not end well ({result.status.value}). {result.why}".strip()
    message = as_text(result.stderr or result.stdout)
    return f"{what} {message}".strip()


def _package_opinion(result: RunResult) -> Opinion:
    files = {file.path: file.content for file in result.files}
    judge_message = as_text(files.get("judgemessage.txt", b""))
    if result.status is not Status.EXITED or result.exit_code not in (ACCEPTED_EXIT, WRONG_EXIT):
        error = as_text(files.get("judgeerror.txt", b""))
        return Opinion(Verdict.JE, " ".join(text for text in (_trouble(result), error, judge_message) if text))
    verdict = Verdict.AC if result.exit_code == ACCEPTED_EXIT else Verdict.WA
    team_message = as_text(files.get("teammessage.txt", b""))
    return Opinion(verdict, judge_message, team_message, _score(files.get("score.txt")))


def _testlib_opinion(result: RunResult) -> Opinion:
    verdict = _TESTLIB.get(result.exit_code or 0) if result.status is Status.EXITED else None
    if verdict is None:
        return Opinion(Verdict.JE, _trouble(result))
    points = _TESTLIB_POINTS.search(result.stderr) if result.exit_code == 7 else None
    return Opinion(verdict, as_text(result.stderr), score=_score(points[1]) if points else None)


def _share(source: Path | bytes, box: Path, name: str) -> None:
    """Puts a file where the slot's user can read it: by a link where both lie on one disk, else by copying."""
    if isinstance(source, bytes):
        place_file(box, name, source)
        return
    try:
        os.link(source, box / name)
    except OSError:
        shutil.copyfile(source, box / name)
        (box / name).chmod(0o644)


def check_output(
    jail: Jail,
    validator: Program,
    *,
    given: Path | bytes,
    answer: Path | bytes,
    output: bytes,
    flags: tuple[str, ...] = (),
    convention: Convention = Convention.PACKAGE,
    should_stop: ShouldStop | None = None,
) -> Opinion | None:
    """Asks the validator. `given` and `answer` are the test's files, readable by everybody who can reach them.

    None if `should_stop` ended it before it said anything.
    """
    box = make_box(jail)
    try:
        _share(given, box, "input")
        _share(answer, box, "answer")
        _share(output, box, "output")
        request = _request(validator, box, output, flags, convention)
        result = jail.run(request, should_stop=should_stop)
    finally:
        shutil.rmtree(box, ignore_errors=True)
    if result.status is Status.CANCELLED:
        return None
    return _testlib_opinion(result) if convention is Convention.TESTLIB else _package_opinion(result)


def _request(
    validator: Program, box: Path, output: bytes, flags: tuple[str, ...], convention: Convention
) -> RunRequest:
    if convention is Convention.TESTLIB:
        arguments: tuple[str, ...] = ("/test/input", "/test/output", "/test/answer")
    else:
        # The slash: validators build paths by appending to it.
        arguments = ("/test/input", "/test/answer", "/out/")
    return RunRequest(
        argv=(*validator.argv(_MEMORY_KB), *arguments, *flags),
        limits=validator.limits(_CPU_MS, _MEMORY_KB, 8 * MIB),
        stdin=output if convention is Convention.PACKAGE else b"",
        box=validator.folder,
        binds=(Bind(box, "/test"), *configuration_binds(validator.language)),
        environment=validator.language.run_environment,
        collect_bytes=FEEDBACK_BYTES,
    )
