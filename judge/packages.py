"""What a slot has to know of a package to judge with it, read once and kept: packages never change."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path

from contest.models import Package
from judge.blobs import BlobCache
from judge.comparison import Flags, parse_flags
from judge.compiling import compile_sources, reopen_program
from judge.languages import LANGUAGES, Language
from judge.programs import Program
from judge.sandbox import Jail
from judge.sandbox.pump import ShouldStop
from judge.scoring import Case, Group, read_groups

_KEPT_PACKAGES = 32


class PackageFault(Exception):
    """The package cannot be judged with; the message is for staff."""


class CompilerFault(Exception):
    """The jail did not let the compiler finish: our fault, or our wish."""


@dataclass(frozen=True, slots=True)
class Test:
    """One test case with its files by hash."""

    case: Case
    input: str
    answer: str
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Task:
    """A package in the judge's words. Times in ms, memory in KiB."""

    package_id: int
    time_limit_ms: int
    memory_kb: int
    output_bytes: int
    flags: tuple[str, ...]
    groups: tuple[Group, ...]
    tests: dict[int, Test]
    validator_language: Language | None = None
    validator_files: dict[str, str] = field(default_factory=dict)

    def comparison_flags(self, test: Test) -> Flags:
        """Raises comparison.UnknownFlag."""
        return parse_flags(" ".join((*self.flags, *test.flags)))


def _words(flags: list[str] | str) -> tuple[str, ...]:
    return tuple(flags.split()) if isinstance(flags, str) else tuple(str(word) for word in flags)


def read_task(package: Package) -> Task:
    rows = package.tests.values_list("index", "group", "score", "validator_flags", "input_id", "answer_id")
    tests = {
        index: Test(Case(index, group, score), given, answer, _words(flags))
        for index, group, score, flags, given, answer in rows.order_by("index")
    }
    if not tests:
        raise PackageFault("The package has no test cases, so nothing can be right or wrong.")
    language = None
    if package.comparison == Package.Comparison.VALIDATOR:
        language = LANGUAGES.get(package.validator_language)
        if language is None:
            raise PackageFault(f"The validator's language {package.validator_language!r} is not known.")
    return Task(
        package_id=package.pk,
        time_limit_ms=package.time_limit_ms,
        memory_kb=package.memory_limit_kb,
        output_bytes=package.output_limit_bytes,
        flags=_words(package.comparison_flags),
        groups=read_groups(package.scoring),
        tests=tests,
        validator_language=language,
        validator_files=dict(package.validator_files),
    )


@dataclass(slots=True)
class PackageCache:
    """Tasks and compiled validators. `folder` is shared by the slots of one judge and dies with it."""

    folder: Path
    blobs: BlobCache
    _tasks: OrderedDict[int, Task] = field(default_factory=OrderedDict)

    def task(self, package: Package) -> Task:
        task = self._tasks.pop(package.pk, None) or read_task(package)
        self._tasks[package.pk] = task
        while len(self._tasks) > _KEPT_PACKAGES:
            self._tasks.popitem(last=False)
        return task

    def validator(self, jail: Jail, task: Task, should_stop: ShouldStop | None = None) -> Program | None:
        """The package's validator, compiled; None where the default comparison is used. Raises PackageFault."""
        language = task.validator_language
        if language is None:
            return None
        sources = {name: self.blobs.read(sha256) for name, sha256 in task.validator_files.items()}
        key = hashlib.sha256(json.dumps([language.id, sorted(task.validator_files.items())]).encode()).hexdigest()
        target = self.folder / key
        if not target.exists():
            self._compile(jail, language, sources, target, should_stop)
        return reopen_program(language, sources, target)

    def _compile(
        self, jail: Jail, language: Language, sources: dict[str, bytes], target: Path, should_stop: ShouldStop | None
    ) -> None:
        work = Path(tempfile.mkdtemp(dir=self.folder, prefix="new-"))
        try:
            try:
                result = compile_sources(jail, language, sources, work, should_stop=should_stop)
            except FileNotFoundError as missing:
                raise PackageFault(f"The validator cannot be compiled here: {missing}.") from missing
            if result.fault:
                raise CompilerFault(result.fault)
            if result.program is None:
                words = result.diagnostics.decode("utf-8", "replace")[:2000]
                raise PackageFault(f"The validator does not compile: {words}")
            if not target.exists():  # else another slot was faster
                work.rename(target)
        finally:
            shutil.rmtree(work, ignore_errors=True)
