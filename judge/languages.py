"""How each language of the site is compiled and run: one table. Names, extensions and time factors, which
contestants see too, are those of `contest.languages`.

A language is offered where its tools lie below /usr, because that is all of the host that the jail shows.
Words of a command: a first word is a tool's name; `{source}` and `{sources}` are the main file and all files,
`{memory_mb}` and `{memory_kb}` the memory limit, `{ceiling_mb}` the same with the runtime's own need,
`{stack_mb}` a stack of that size as far as the JVM takes it, `{entry}` the class to start.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from contest.languages import BY_ID
from judge.sandbox.model import Bind

# Not the caller's PATH: a tool in somebody's home folder does not exist inside the jail.
_TOOL_PATH = "/usr/local/bin:/usr/bin:/usr/local/go/bin"
_SHOWN = "/usr/"


class MemoryMode(StrEnum):
    """How memory is bounded where no control group counts it."""

    NATIVE = "native"  # by an address space limit, and by watching
    RUNTIME = "runtime"  # the runtime reserves far more than it uses: by its own flags, and by watching


@dataclass(frozen=True, slots=True)
class Language:
    """One language. Times in ms, memory in KiB."""

    id: str  # as in `contest.languages`
    source_name: str
    compile: tuple[str, ...]
    run: tuple[str, ...]
    version: tuple[str, ...]
    memory_mode: MemoryMode = MemoryMode.NATIVE
    # What the runtime itself needs beside the program's heap; added to the problem's memory limit.
    memory_slack_kb: int = 0
    # The exit status by which the runtime says that the program had no memory left.
    out_of_memory_exit: int | None = None
    keeps_source: bool = False  # the source is what runs; the compile step only checks it
    compile_memory_kb: int = 512 * 1024
    compile_wall_ms: int = 21_000
    compile_environment: tuple[tuple[str, str], ...] = ()
    run_environment: tuple[tuple[str, str], ...] = ()
    also_needs: tuple[str, ...] = ()  # tools that the compiler calls
    # Files outside /usr that the tools need, as glob patterns; shown read-only at the same place.
    configuration: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return BY_ID[self.id].name

    @property
    def extensions(self) -> tuple[str, ...]:
        return BY_ID[self.id].extensions

    @property
    def multiplier(self) -> float:
        """Of the problem's time limit."""
        return BY_ID[self.id].time_factor

    @property
    def tools(self) -> tuple[str, ...]:
        own = (words[0] for words in (self.compile, self.run) if "/" not in words[0])
        return tuple(dict.fromkeys((*own, *self.also_needs)))


_JAVA_QUIET = ("-XX:+UseSerialGC", "-XX:-UsePerfData", "-Xshare:auto")
_CHECK_PYTHON = "import sys; compile(open(sys.argv[1], 'rb').read(), sys.argv[1], 'exec')"

_TABLE = (
    Language(
        id="c",
        source_name="main.c",
        compile=("gcc", "-std=gnu17", "-O2", "-o", "/out/main", "{sources}", "-lm"),
        run=("/box/main",),
        version=("gcc", "-dumpfullversion"),
    ),
    Language(
        id="cpp",
        source_name="main.cpp",
        compile=("g++", "-std=gnu++20", "-O2", "-o", "/out/main", "{sources}"),
        run=("/box/main",),
        version=("g++", "-dumpfullversion"),
    ),
    Language(
        id="python",
        source_name="main.py",
        compile=("python3", "-I", "-c", _CHECK_PYTHON, "{source}"),
        run=("python3", "{source}"),
        version=("python3", "--version"),
        keeps_source=True,
        run_environment=(("PYTHONDONTWRITEBYTECODE", "1"),),
    ),
    Language(
        id="java",
        source_name="Main.java",
        compile=(
            *("javac", "-J-Xmx320m", "-J-XX:+UseSerialGC", "-J-XX:-UsePerfData"),
            *("-encoding", "UTF-8", "-proc:none", "-d", "/out", "{sources}"),
        ),
        run=(
            *("java", "-Xmx{memory_mb}m", "-Xss{stack_mb}m", *_JAVA_QUIET),
            *("-XX:+ExitOnOutOfMemoryError", "-cp", "/box", "{entry}"),
        ),
        version=("javac", "-version"),
        memory_mode=MemoryMode.RUNTIME,
        memory_slack_kb=160 * 1024,
        out_of_memory_exit=3,
        compile_wall_ms=30_000,
        configuration=("/etc/java-*-openjdk",),
    ),
    Language(
        id="javascript",
        source_name="main.js",
        compile=("node", "--check", "{source}"),
        run=("node", "--max-old-space-size={ceiling_mb}", "--stack-size={memory_kb}", "{source}"),
        version=("node", "--version"),
        memory_mode=MemoryMode.RUNTIME,
        memory_slack_kb=64 * 1024,
        keeps_source=True,
    ),
    Language(
        id="go",
        source_name="main.go",
        compile=("go", "build", "-o", "/out/main", "{sources}"),
        run=("/box/main",),
        version=("go", "version"),
        memory_mode=MemoryMode.RUNTIME,
        compile_wall_ms=30_000,
        compile_environment=(
            *(("GOCACHE", "/tmp/go-cache"), ("GOPATH", "/tmp/go"), ("GO111MODULE", "off")),  # noqa: S108
            *(("CGO_ENABLED", "0"), ("GOTOOLCHAIN", "local"), ("GOFLAGS", "-p=2")),
        ),
    ),
    Language(
        id="rust",
        source_name="main.rs",
        compile=("rustc", "--edition", "2021", "-O", "-C", "linker=gcc", "-o", "/out/main", "{source}"),
        run=("/box/main",),
        version=("rustc", "--version"),
        also_needs=("gcc",),  # as the linker
        compile_wall_ms=30_000,
    ),
    Language(
        id="pascal",
        source_name="main.pas",
        compile=("fpc", "-O2", "-FU/tmp", "-o/out/main", "{source}"),
        run=("/box/main",),
        version=("fpc", "-iV"),
        configuration=("/etc/fpc.cfg", "/etc/alternatives/ppc*[0-9]"),
    ),
)

LANGUAGES: dict[str, Language] = {language.id: language for language in _TABLE}


def tool_path(tool: str) -> str | None:
    """The real place of a tool if the jail shows it. Links are resolved: /etc/alternatives is not shown."""
    found = shutil.which(tool, path=_TOOL_PATH)
    if found is None:
        return None
    real = os.path.realpath(found)
    return real if real.startswith(_SHOWN) else None


@cache
def installed_languages() -> tuple[Language, ...]:
    """Those whose tools are all there, in the order of the table."""
    return tuple(row for row in _TABLE if all(tool_path(tool) for tool in row.tools))


@cache
def language_version(language: Language) -> str:
    """What the tool says of itself, shortened to the number; empty if it says nothing useful."""
    tool = tool_path(language.version[0])
    if tool is None:
        return ""
    command = [tool, *language.version[1:]]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30, env={})
    number = re.search(r"\d+(?:\.\d+)+", done.stdout + done.stderr)
    return number[0] if number else ""


def language_for_file(name: str) -> Language | None:
    """The language that a file's extension stands for, whether it is installed or not."""
    extension = Path(name).suffix
    return next((row for row in _TABLE if extension in row.extensions), None)


def configuration_binds(language: Language) -> tuple[Bind, ...]:
    """Configuration of the tools outside /usr, with links resolved on the host."""
    found = [path for pattern in language.configuration for path in Path("/").glob(pattern.lstrip("/"))]
    return tuple(Bind(path.resolve(), str(path)) for path in sorted(found))
