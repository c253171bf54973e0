"""The command line of one run: launcher, bubblewrap, helper, program. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from judge.sandbox.model import Bind, Limits, RunRequest
from judge.sandbox.setup import BWRAP

_HELPER = "/.helper"
_LINKS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
# Only these: no terminals, no shared memory folder that no limit counts.
_DEVICES = ("null", "full", "random", "urandom")
# Mapped, it is memory that no process shows: only where a group counts what the program holds.
_COUNTED_DEVICES = ("zero",)
# How long after the longest time that a run may take the launcher kills everything, whatever the helper does.
HARD_STOP_AFTER_MS = 500
# bubblewrap's first process is the program's own user's: its memory could be written and made to compute for it,
# uncounted. So it has no folder in /proc: an empty one, read-only, lies over it.
_NO_PID_1 = ("--size", "4096", "--tmpfs", "/proc/1", "--remount-ro", "/proc/1")
# Processes of the jail itself that count with the program's: bubblewrap's two and the helper.
OWN_PROCESSES = 3
# Room beyond the memory limit for the stack, so that a runaway recursion ends at the memory limit.
_STACK_BEYOND_KB = 16 * 1024
_BASE_ENVIRONMENT = (
    ("PATH", "/usr/bin:/bin"),
    ("HOME", "/tmp"),  # noqa: S108 - inside the jail, a fresh tmpfs
    ("TMPDIR", "/tmp"),  # noqa: S108
    ("LANG", "C.UTF-8"),
)


@dataclass(frozen=True, slots=True)
class Plumbing:
    """Descriptors and identities that one run uses."""

    helper: Path
    uid: int | None
    report: int
    control: int
    seccomp: int
    group_files: tuple[Path, ...] = ()
    group_counts_memory: bool = False


def _bind(bind: Bind) -> list[str]:
    return ["--ro-bind", str(bind.source), bind.target]


def _file_system(request: RunRequest, plumbing: Plumbing) -> list[str]:
    links = [word for name in _LINKS if Path("/usr", name).is_dir() for word in _link(name)]
    shown = (*_DEVICES, *_COUNTED_DEVICES) if plumbing.group_counts_memory else _DEVICES
    devices = [word for name in shown for word in ("--dev-bind", f"/dev/{name}", f"/dev/{name}")]
    words = ["--ro-bind", "/usr", "/usr", *links, "--proc", "/proc", *_NO_PID_1, "--dir", "/dev", *devices]
    words += ["--symlink", "/proc/self/fd", "/dev/fd"]
    for place, name in enumerate(("stdin", "stdout", "stderr")):
        words += ["--symlink", f"/proc/self/fd/{place}", f"/dev/{name}"]
    words += ["--size", str(request.limits.scratch_bytes), "--tmpfs", "/tmp"]  # noqa: S108
    if request.box is not None:
        words += _bind(Bind(request.box, "/box"))
    else:
        words += ["--dir", "/box"]
    if request.collect_bytes:
        # Some room beyond what is taken, so that "too large" is seen instead of a full disk.
        words += ["--size", str(2 * request.collect_bytes), "--tmpfs", "/out"]
    for bind in request.binds:
        words += _bind(bind)
    return [*words, *_bind(Bind(plumbing.helper, _HELPER)), "--remount-ro", "/"]


def _link(name: str) -> list[str]:
    return ["--symlink", f"usr/{name}", f"/{name}"]


def _bwrap(request: RunRequest, plumbing: Plumbing) -> list[str]:
    return [
        BWRAP,
        *("--unshare-user", "--unshare-all", "--disable-userns", "--die-with-parent", "--new-session"),
        *("--cap-drop", "ALL", "--hostname", "jail"),
        *_file_system(request, plumbing),
        *("--chdir", request.working_directory, "--seccomp", str(plumbing.seccomp), "--"),
    ]


def _numbers(limits: Limits, plumbing: Plumbing) -> dict[str, int]:
    counted = plumbing.group_counts_memory
    return {
        "cpu_ms": limits.cpu_ms,
        "wall_ms": limits.effective_wall_ms,
        "longest_ms": limits.longest_wall_ms,
        "watch_kb": 0 if counted else limits.memory_kb,
        "space_kb": 0 if counted else limits.address_space_kb or 0,
        "stack_kb": limits.memory_kb + _STACK_BEYOND_KB,
        "processes": limits.processes + OWN_PROCESSES,
        "files": limits.open_files,
        "file_bytes": limits.file_bytes,
    }


def _inside(request: RunRequest, plumbing: Plumbing) -> list[str]:
    numbers = _numbers(request.limits, plumbing) | {
        "collect_bytes": request.collect_bytes,
        "meter_ms": request.meter_ms,
        "report": plumbing.report,
        "control": plumbing.control,
    }
    environment = dict(_BASE_ENVIRONMENT) | dict(request.environment)
    words = [f"{name}={value}" for name, value in numbers.items()]
    words += [f"env={name}={value}" for name, value in environment.items()]
    return [_HELPER, "inside", *words, "--", *request.argv]


def command_line(request: RunRequest, plumbing: Plumbing) -> list[str]:
    """Everything after the fork: the launcher runs outside, as the judge's user, and starts the rest."""
    hard_ms = request.limits.longest_wall_ms + HARD_STOP_AFTER_MS
    words = [f"hard_ms={hard_ms}", f"control={plumbing.control}", f"report={plumbing.report}"]
    if plumbing.uid is not None:
        words += [f"uid={plumbing.uid}", f"gid={plumbing.uid}"]
    words += [f"cgroup={path}" for path in plumbing.group_files]
    inner = [*_bwrap(request, plumbing), *_inside(request, plumbing)]
    return [str(plumbing.helper), "launch", *words, "--", *inner]
