"""The last net: processes that lost their parent come to the slot, and the slot ends them."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
from pathlib import Path

# From <sys/prctl.h>.
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def _prctl(option: int, value: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def become_subreaper() -> None:
    """Orphans below this process become its children, not those of pid 1."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent(number: signal.Signals) -> None:
    """The kernel sends this process a signal when its parent ends, however that ends."""
    _prctl(_PR_SET_PDEATHSIG, number)


def _children() -> list[int]:
    pids: list[int] = []
    for task in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(OSError):
            pids += [int(word) for word in task.read_text().split()]
    return pids


def reap_strays() -> int:
    """Kills and reaps every child of this process. For a slot between two runs: then it should have none."""
    killed = 0
    while pids := _children():
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
            killed += 1
    return killed
