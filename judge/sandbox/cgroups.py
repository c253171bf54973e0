"""A fresh control group per run, where the host lets us have one.

Groups are made only below the group that this process is in (or, for version 2, beside it below a group
that was delegated to us), and only children that we start are put into them: a process that somebody
else placed somewhere stays there. Where no group can be had, `find_groups` says so and the jail counts by
resource limits and by watching.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import signal
import time
from dataclasses import dataclass, field
from pathlib import Path

from judge.sandbox.command import OWN_PROCESSES

_NAME = re.compile(r"fathom-judge-(\d+)-(\d+)-\d+")
# What the jail itself needs in the group beside the program: bubblewrap, the helper, page tables.
_OWN_MEMORY_KB = 8 * 1024
# A dead process leaves its group a moment after it was reaped.
_REMOVE_TRIES, _REMOVE_PAUSE_S = 50, 0.002


def _write(path: Path, value: int | str) -> None:
    path.write_text(str(value))


def _start_time(pid: int) -> str | None:
    """Field 22 of /proc/PID/stat: with it a process id cannot be mistaken for its successor."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return None


@dataclass(slots=True)
class RunGroup:
    """The group of one run: one folder per controller (version 1) or one for all (version 2)."""

    version: int
    folders: dict[str, Path] = field(default_factory=dict)
    _cpu_ms_at_start: int | None = None

    @property
    def procs_files(self) -> tuple[Path, ...]:
        return tuple(folder / "cgroup.procs" for folder in dict.fromkeys(self.folders.values()))

    def was_out_of_memory(self) -> bool:
        name = "memory.events" if self.version == 2 else "memory.oom_control"
        with contextlib.suppress(OSError, KeyError, ValueError):
            lines = (self.folders["memory"] / name).read_text().splitlines()
            return int(dict(line.split() for line in lines)["oom_kill"]) > 0
        return False

    def cpu_ms(self) -> int:
        """CPU time of everything in the group, of the jail's own start too; 0 if it is not counted."""
        with contextlib.suppress(OSError, KeyError, ValueError):
            if self.version == 1:
                return int((self.folders["cpuacct"] / "cpuacct.usage").read_text()) // 1_000_000
            lines = (self.folders["memory"] / "cpu.stat").read_text().splitlines()
            return int(dict(line.split() for line in lines)["usage_usec"]) // 1000
        return 0

    def program_starts(self) -> None:
        """What was used until now was the jail's own start."""
        self._cpu_ms_at_start = self.cpu_ms()

    def program_cpu_ms(self) -> int:
        """CPU time of all the program's processes, those too that ended and that nobody waited for."""
        return 0 if self._cpu_ms_at_start is None else self.cpu_ms() - self._cpu_ms_at_start

    def remove(self) -> None:
        for folder in dict.fromkeys(self.folders.values()):
            if self.version == 2:
                with contextlib.suppress(OSError):
                    _write(folder / "cgroup.kill", 1)
            _remove(folder)


def _kill_members(folder: Path) -> None:
    with contextlib.suppress(OSError, ValueError):
        for word in (folder / "cgroup.procs").read_text().split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(word), signal.SIGKILL)


def _remove(folder: Path) -> None:
    for _ in range(_REMOVE_TRIES):
        try:
            folder.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(_REMOVE_PAUSE_S)
        else:
            return


@dataclass(slots=True)
class Groups:
    """Where groups can be made. Without `parents` none can."""

    version: int = 0
    parents: dict[str, Path] = field(default_factory=dict)
    _numbers: itertools.count[int] = field(default_factory=itertools.count)

    @property
    def available(self) -> bool:
        return "memory" in self.parents

    def make(self, memory_kb: int, processes: int) -> RunGroup:
        pid = os.getpid()
        name = f"fathom-judge-{pid}-{_start_time(pid)}-{next(self._numbers)}"
        group = RunGroup(self.version)
        try:
            for controller, parent in self.parents.items():
                folder = parent / name
                folder.mkdir(exist_ok=self.version == 2)
                group.folders[controller] = folder
            self._limit(group, (memory_kb + _OWN_MEMORY_KB) * 1024, processes + OWN_PROCESSES)
        except OSError:
            group.remove()
            raise
        return group

    def _limit(self, group: RunGroup, memory_bytes: int, processes: int) -> None:
        memory = group.folders["memory"]
        if self.version == 2:
            _write(memory / "memory.max", memory_bytes)
            if (memory / "memory.swap.max").exists():
                _write(memory / "memory.swap.max", 0)
        else:
            _write(memory / "memory.limit_in_bytes", memory_bytes)
            if (memory / "memory.memsw.limit_in_bytes").exists():
                _write(memory / "memory.memsw.limit_in_bytes", memory_bytes)
        if "pids" in group.folders:
            _write(group.folders["pids"] / "pids.max", processes)

    def sweep(self) -> int:
        """Removes groups whose judge was killed, with whatever still runs in them; returns how many."""
        removed = 0
        for parent in dict.fromkeys(self.parents.values()):
            for folder in parent.glob("fathom-judge-*"):
                owner = _NAME.fullmatch(folder.name)
                if owner and _start_time(int(owner[1])) != owner[2]:
                    _kill_members(folder)
                    _remove(folder)
                    removed += 1
        return removed


def _mounts(mountinfo: str) -> list[tuple[str, str, str, str]]:
    """(root, mount point, type, super options) of each mount; see proc_pid_mountinfo(5)."""
    rows = []
    for line in mountinfo.splitlines():
        left, _, right = line.partition(" - ")
        before, after = left.split(), right.split()
        rows.append((before[3], before[4], after[0], after[2] if len(after) > 2 else ""))
    return rows


def _own_folder(root: str, point: str, own: str) -> Path | None:
    """Where the group `own` is seen below a mount that shows the hierarchy from `root` on."""
    if root == "/":
        return Path(point + own)
    if own == root or own.startswith(root + "/"):
        return Path(point + own[len(root) :])
    return None


def _usable(folder: Path | None) -> bool:
    return folder is not None and folder.is_dir() and os.access(folder, os.W_OK)


def _version_1(own: dict[str, str], mounts: list[tuple[str, str, str, str]]) -> dict[str, Path]:
    parents = {}
    for root, point, kind, options in mounts:
        for controller in {"memory", "pids", "cpuacct"} & set(options.split(",")):
            folder = _own_folder(root, point, own.get(controller, "/")) if kind == "cgroup" else None
            if folder is not None and _usable(folder):
                parents[controller] = folder
    return parents


def _delegated(folder: Path) -> bool:
    """systemd marks what a unit with Delegate= may divide further."""
    for name in ("user.delegate", "trusted.delegate"):
        with contextlib.suppress(OSError):
            if os.getxattr(folder, name) == b"1":
                return True
    return False


def _divides(folder: Path) -> bool:
    """Whether groups below `folder` get memory and process counting; switched on if it may be."""
    control = folder / "cgroup.subtree_control"
    with contextlib.suppress(OSError):
        if not {"memory", "pids"} <= set(control.read_text().split()):
            _write(control, "+memory +pids")
        return {"memory", "pids"} <= set(control.read_text().split())
    return False


def _version_2(own: str | None, mounts: list[tuple[str, str, str, str]]) -> dict[str, Path]:
    for root, point, kind, _options in mounts:
        folder = _own_folder(root, point, own) if kind == "cgroup2" and own is not None else None
        if folder is None:
            continue
        if _usable(folder) and _divides(folder):
            return {"memory": folder, "pids": folder}
        beside = folder.parent
        if _usable(beside) and _delegated(beside) and _divides(beside):
            return {"memory": beside, "pids": beside}
    return {}


def find_groups() -> Groups:
    """Looks where this process may make groups. Never raises."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
        mounts = _mounts(Path("/proc/self/mountinfo").read_text())
    except OSError:
        return Groups()
    rows = [line.split(":", 2) for line in lines]
    own = {controller: path for _number, names, path in rows for controller in names.split(",")}
    parents = _version_2(own.get(""), mounts)
    if parents:
        return Groups(2, parents)
    parents = _version_1(own, mounts)
    return Groups(1, parents) if "memory" in parents else Groups()
