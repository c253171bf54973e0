"""What is asked of the jail and what it answers. Pure: no I/O, no clock."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

MIB = 1024 * 1024
# On a host where five programs want each processor, a second of CPU time still comes about before this.
_LONGEST_FACTOR = 4


class Status(StrEnum):
    """How a run ended. Each is a fact about the run; a verdict is made of it elsewhere."""

    EXITED = "exited"  # the program ended by itself; see exit_code
    SIGNALED = "signaled"  # a signal ended it that the jail did not send; see signal
    CPU_LIMIT = "cpu_limit"  # it used more CPU time than allowed
    WALL_LIMIT = "wall_limit"  # it slept, waited or was stopped until the wall clock ran out
    MEMORY_LIMIT = "memory_limit"  # it needed more memory than allowed
    OUTPUT_LIMIT = "output_limit"  # it wrote more than allowed
    CANCELLED = "cancelled"  # the judge wanted it to end
    LOST = "lost"  # the program destroyed what measured it: its own fault
    UNSTARTABLE = "unstartable"  # the kernel does not take the compiled file for a program: the source's fault
    FAULT = "fault"  # the jail did not start or a tool of the host could not be executed: the judge's fault


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one run. Wall time follows from CPU time where it is not given: 2 × CPU + 1 s."""

    cpu_ms: int
    memory_kb: int
    wall_ms: int | None = None
    output_bytes: int = 16 * MIB
    processes: int = 64  # threads count as processes
    file_bytes: int = 64 * MIB  # size of one file that the program writes
    scratch_bytes: int = 64 * MIB  # room in /tmp
    open_files: int = 256
    # Cap of the address space where no control group counts memory; None for runtimes that reserve
    # far more than they use (JVM, Go, V8).
    address_space_kb: int | None = None

    @property
    def effective_wall_ms(self) -> int:
        return self.wall_ms if self.wall_ms is not None else 2 * self.cpu_ms + 1000

    @property
    def longest_wall_ms(self) -> int:
        """The end even where a busy host is why the program waits: then the wall clock stands still until here."""
        return _LONGEST_FACTOR * self.effective_wall_ms


@dataclass(frozen=True, slots=True)
class Bind:
    """One host file or folder that the jail shows, read-only, at another place."""

    source: Path
    target: str


@dataclass(frozen=True, slots=True)
class RunRequest:
    """One program to run.

    `stdin` is a file, or bytes, or the descriptor of a pipe (for interactive problems). `stdout` is a
    descriptor that takes the output instead of the result; then no output limit holds here. `box` is
    shown read-only as /box, the working directory. With `collect_bytes` a writable /out exists, whose
    regular files come back in the result if the program ends by itself.
    """

    argv: tuple[str, ...]
    limits: Limits
    stdin: Path | bytes | int = b""
    stdout: int | None = None
    box: Path | None = None
    binds: tuple[Bind, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    working_directory: str = "/box"
    collect_bytes: int = 0
    meter_ms: int = 0  # how often `on_meter` is told what the program has used so far; 0: never
    stderr_bytes: int = 64 * 1024  # kept of stderr; the rest is read and thrown away up to the output limit


@dataclass(frozen=True, slots=True)
class CollectedFile:
    """A regular file that the program left in /out. `path` is relative and has no `..`."""

    path: str
    executable: bool
    content: bytes


@dataclass(frozen=True, slots=True)
class RunResult:
    """What happened. Times in ms, memory in KiB; CPU and memory were measured inside the jail."""

    status: Status
    exit_code: int | None = None
    signal: int | None = None
    cpu_ms: int = 0
    wall_ms: int = 0
    memory_kb: int = 0
    stdout: bytes = b""
    stderr: bytes = b""
    truncated: bool = False  # something of stdout or stderr was thrown away
    why: str = ""  # for people: a sentence for LOST, UNSTARTABLE and FAULT
    files: tuple[CollectedFile, ...] = field(default=(), repr=False)
    files_trouble: str = ""  # why files are missing: irregular, too_large, too_deep, bad_name

    @property
    def succeeded(self) -> bool:
        return self.status is Status.EXITED and self.exit_code == 0
