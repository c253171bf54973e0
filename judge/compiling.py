"""Compiling a source in the jail: a compiler is a program that strangers feed."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from judge.entrypoint import java_entry, java_file_name
from judge.languages import Language, configuration_binds, language_for_file
from judge.programs import Program, command, make_box, place_file
from judge.sandbox import CollectedFile, Jail, Limits, RunRequest, RunResult, Status
from judge.sandbox.model import MIB
from judge.sandbox.pump import ShouldStop

COMPILE_CPU_MS = 10_000
DIAGNOSTICS_BYTES = 64 * 1024
COMPILED_BYTES = 64 * MIB
# In C `int x;` fails to link, but some compilers make a library of a source that says so, and are content.
_NO_PROGRAM = b"The compiler made nothing that can be started: is this a library?"
_FILES_TROUBLE = {
    "too_large": f"The compiled program is larger than {COMPILED_BYTES // MIB} MiB.",
    "irregular": "The compiler left something that is not a regular file.",
    "bad_name": "The compiler left a file with a name that cannot be used.",
    "too_deep": "The compiler left folders that are nested too deeply.",
}


@dataclass(frozen=True, slots=True)
class CompileResult:
    """`program` is None when the source did not compile; `fault` tells of ours, not of the source's."""

    program: Program | None
    diagnostics: bytes
    run: RunResult
    fault: str = ""


def single_source(language: Language, source: bytes) -> dict[str, bytes]:
    """A submission's text under the name that its language wants."""
    name = java_file_name(source, language.source_name) if language.id == "java" else language.source_name
    return {name: source}


def _own(language: Language, sources: Mapping[str, bytes]) -> list[str]:
    """Files of this very language, by name. A language with other words for its compiler is still the same."""
    found = {name: language_for_file(name) for name in sources}
    return sorted(name for name, other in found.items() if other is not None and other.id == language.id)


def _main_file(language: Language, sources: Mapping[str, bytes]) -> str:
    own = _own(language, sources)
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
        result = jail.run(_request(language, box, main_file, _own(language, sources)), should_stop=should_stop)
    finally:
        shutil.rmtree(box, ignore_errors=True)
    if result.status in (Status.FAULT, Status.CANCELLED):
        return CompileResult(None, b"", result, fault=result.why or "The compiler was stopped.")
    files = {file.path: file for file in result.files}
    if not result.succeeded or not (language.keeps_source or files):
        return CompileResult(None, _diagnostics(result), result)
    if not _can_start(language, files):
        return CompileResult(None, b"\n".join((_diagnostics(result), _NO_PROGRAM)).strip(), result)
    for file in files.values():
        place_file(folder, file.path, file.content, file.executable)
    if language.keeps_source:
        for name, content in sources.items():
            place_file(folder, name, content)
    folder.chmod(0o755)
    return CompileResult(reopen_program(language, sources, folder), _diagnostics(result), result)


def _can_start(language: Language, files: Mapping[str, CollectedFile]) -> bool:
    """Whether a program of its own, not of a runtime, is there and executable."""
    made = language.run[0].removeprefix("/box/")
    return made == language.run[0] or (made in files and files[made].executable)


def _request(language: Language, box: Path, main_file: str, own: list[str]) -> RunRequest:
    words = command(language.compile, {"source": main_file}, own)
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
        argv=words,
        limits=limits,
        box=box,
        binds=configuration_binds(language),
        environment=language.compile_environment,
        collect_bytes=COMPILED_BYTES,
        stderr_bytes=DIAGNOSTICS_BYTES,
    )
