"""A compiled program and how to run it in the jail."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from judge.languages import Language, MemoryMode, configuration_binds, tool_path
from judge.sandbox import Jail, Limits, RunRequest

# Address space for native programs where no control group counts: as wide as a group would let them
# reserve, so that the same program gets the same verdict on both kinds of host; the watch bounds its use.
_ADDRESS_SPACE_KB = 4 * 1024 * 1024


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
        return command(self.language.run, words, [])


def command(template: tuple[str, ...], words: Mapping[str, str], sources: list[str]) -> tuple[str, ...]:
    """A command line of the language table with its words filled in. FileNotFoundError without its tool."""
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


def make_reachable(folder: Path, mode: int = 0o711) -> Path:
    """A new folder that the slot's user can pass through, whatever the umask of the judge is."""
    folder.mkdir()
    folder.chmod(mode)
    return folder


def place_file(folder: Path, name: str, content: bytes, executable: bool = False) -> None:
    """Writes one file below `folder`. Refuses names that lead out of it."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.parts:
        raise ValueError(f"unsafe file name: {name!r}")
    target = folder.joinpath(*path.parts)
    inner = folder
    for part in path.parts[:-1]:
        inner = inner / part
        if not inner.is_dir():
            make_reachable(inner, 0o755)
    target.write_bytes(content)
    target.chmod(0o755 if executable else 0o644)


def make_box(jail: Jail) -> Path:
    """A fresh folder that the slot's user can read and nobody can list from outside."""
    box = Path(tempfile.mkdtemp(prefix="box-", dir=jail.home))
    box.chmod(0o755)
    return box


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
