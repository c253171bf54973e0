"""Compiling a source in the jail: a compiler is a program that strangers feed."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from judge.entrypoint import java_entry, java_file_name
from judge.languages import Language, MemoryMode, configuration_binds, language_for_file, tool_path
from judge.sandbox import Jail, Limits, RunRequest, RunResult, Status
from judge.sandbox.model import MIB
from judge.sandbox.pump import ShouldStop

COMPILE_CPU_MS = 10_000
DIAGNOSTICS_BYTES = 64 * 1024
COMPILED_BYTES = 64 * MIB
# Address space for native programs where no control group counts: as wide as a group would let them
# reserve, so that the same program gets the same verdict on both kinds of host; the watch bounds its use.
_ADDRESS_SPACE_KB = 4 * 1024 * 1024
_FILES_TROUBLE = {
    "too_large": f"The compiled program is larger than {COMPILED_BYTES // MIB} MiB.",
    "irregular": "The compiler left something that is not a regular file.",
    "bad_name": "The compiler left a file with a name that cannot be used.",
    "too_deep": "The compiler left folders that are nested too deeply.",
}


@dataclass(frozen=True, slots=True)
class Program:
    """Something that can be run: a folder, shown as /box, and how to start it."""

    language: Language
    folder: Path
    main_file: str
    entry: str

    def memory_limit_kb(self, memory_kb: int) -> int:
        """The problem's limit and what the runtime needs for itself."""
        return memory_kb + self.language.memory_slack_kb

    def limits(self, cpu_ms: int, memory_kb: int, output_bytes: int) -> Limits:
        native = self.language.memory_mode is MemoryMode.NATIVE
        allowed_kb = self.memory_limit_kb(memory_kb)
        return Limits(
            cpu_ms=cpu_ms,
            memory_kb=allowed_kb,
            output_bytes=output_bytes,
            address_space_kb=max(_ADDRESS_SPACE_KB, 2 * allowed_kb) if native else None,
        )

    def argv(self, memory_kb: int) -> tuple[str, ...]:
        words = {
            "source": self.main_file,
            "entry": self.entry,
            "memory_mb": str(max(16, memory_kb // 1024)),
            "memory_kb": str(memory_kb),
            "ceiling_mb": str(self.memory_limit_kb(memory_kb) // 1024),
            # The JVM takes at most 1 GiB of stack.
            "stack_mb": str(max(1, min(1023, memory_kb // 1024))),
        }
        return _command(self.language.run, words, [])


@dataclass(frozen=True, slots=True)
class CompileResult:
    """`program` is None when the source did not compile; `fault` tells of ours, not of the source's."""

    program: Program | None
    diagnostics: bytes
    run: RunResult
    fault: str = ""


def _command(template: tuple[str, ...], words: Mapping[str, str], sources: list[str]) -> tuple[str, ...]:
    tool = template[0] if "/" in template[0] else tool_path(template[0])
    if tool is None:
        raise FileNotFoundError(f"{template[0]} is not installed below /usr")
    rest = []
    for word in template[1:]:
        rest += sources if word == "{sources}" else [_fill(word, words)]
    return (tool, *rest)


def _fill(word: str, words: Mapping[str, str]) -> str:
    for name, value in words.items():
        word = word.replace("{" + name + "}", value)
    return word


def place_file(folder: Path, name: str, content: bytes, executable: bool = False) -> None:
    """Writes one file below `folder`. Refuses names that lead out of it."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.parts:
        raise ValueError(f"unsafe file name: {name!r}")
    target = folder.joinpath(*path.parts)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)
    target.chmod(0o755 if executable else 0o644)


def make_box(jail: Jail) -> Path:
    """A fresh folder that the slot's user can read and nobody can list from outside."""
    box = Path(tempfile.mkdtemp(prefix="box-", dir=jail.home))
    box.chmod(0o755)
    return box


def single_source(language: Language, source: bytes) -> dict[str, bytes]:
    """A submission's text under the name that its language wants."""
    name = java_file_name(source, language.source_name) if language.id == "java" else language.source_name
    return {name: source}


def _main_file(language: Language, sources: Mapping[str, bytes]) -> str:
    own = sorted(name for name in sources if language_for_file(name) is language)
    return language.source_name if language.source_name in own else own[0]


def _entry(language: Language, sources: Mapping[str, bytes], main_file: str) -> str:
    if language.id != "java":
        return ""
    entries = [java_entry(sources[name]) for name in (main_file, *sorted(sources)) if name.endswith(".java")]
    return next((entry for entry in entries if entry), Path(main_file).stem)


def _diagnostics(result: RunResult) -> bytes:
    text = result.stdout + result.stderr
    cut = text[:DIAGNOSTICS_BYTES]
    endings = {
        Status.CPU_LIMIT: "The compiler took too long.",
        Status.WALL_LIMIT: "The compiler took too long.",
        Status.MEMORY_LIMIT: "The compiler needed too much memory.",
        Status.OUTPUT_LIMIT: "The compiler wrote too much.",
    }
    ending = endings.get(result.status) or _FILES_TROUBLE.get(result.files_trouble, "")
    return cut + (b"\n" + ending.encode() if ending else b"")


def reopen_program(language: Language, sources: Mapping[str, bytes], folder: Path) -> Program:
    """What `compile_sources` put into `folder` before."""
    main_file = _main_file(language, sources)
    return Program(language, folder, main_file, _entry(language, sources, main_file))


def compile_sources(
    jail: Jail,
    language: Language,
    sources: Mapping[str, bytes],
    folder: Path,
    should_stop: ShouldStop | None = None,
) -> CompileResult:
    """Compiles `sources` (names to contents) and puts what can be run into `folder`, which must be empty.

    Files of other languages (headers) are only put beside. Raises FileNotFoundError if the language's
    tools are not installed.
    """
    box = make_box(jail)
    try:
        for name, content in sources.items():
            place_file(box, name, content)
        main_file = _main_file(language, sources)
        own = sorted(name for name in sources if language_for_file(name) is language)
        result = jail.run(_request(language, box, main_file, own), should_stop=should_stop)
    finally:
        shutil.rmtree(box, ignore_errors=True)
    if result.status in (Status.FAULT, Status.CANCELLED):
        return CompileResult(None, b"", result, fault=result.why or "The compiler was stopped.")
    files = {file.path: file for file in result.files}
    complete = language.keeps_source or bool(files)
    if not result.succeeded or not complete:
        return CompileResult(None, _diagnostics(result), result)
    for file in files.values():
        place_file(folder, file.path, file.content, file.executable)
    if language.keeps_source:
        for name, content in sources.items():
            place_file(folder, name, content)
    folder.chmod(0o755)
    return CompileResult(reopen_program(language, sources, folder), _diagnostics(result), result)


def _request(language: Language, box: Path, main_file: str, own: list[str]) -> RunRequest:
    command = _command(language.compile, {"source": main_file}, own)
    limits = Limits(
        cpu_ms=COMPILE_CPU_MS,
        wall_ms=language.compile_wall_ms,
        memory_kb=language.compile_memory_kb,
        output_bytes=4 * MIB,
        processes=128,
        file_bytes=2 * COMPILED_BYTES,
        scratch_bytes=256 * MIB,
        open_files=1024,
    )
    return RunRequest(
        argv=command,
        limits=limits,
        box=box,
        binds=configuration_binds(language),
        environment=language.compile_environment,
        collect_bytes=COMPILED_BYTES,
        stderr_bytes=DIAGNOSTICS_BYTES,
    )


def run_request(
    program: Program,
    limits: Limits,
    memory_kb: int,
    stdin: Path | bytes | int,
    stdout: int | None = None,
) -> RunRequest:
    """One run of a compiled program. `memory_kb` is the problem's limit, without the runtime's slack."""
    return RunRequest(
        argv=program.argv(memory_kb),
        limits=limits,
        stdin=stdin,
        stdout=stdout,
        box=program.folder,
        binds=configuration_binds(program.language),
        environment=program.language.run_environment,
    )
