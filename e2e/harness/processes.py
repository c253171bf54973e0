"""Which processes descend from one, by /proc."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def descendants(root: int) -> dict[int, str]:
    """Process id → command line of every living descendant of `root`, itself not included."""
    below = _below()
    found: dict[int, str] = {}
    waiting = list(below.get(root, []))
    while waiting:
        process = waiting.pop()
        found[process] = command_line(process)
        waiting += below.get(process, [])
    return found


def children(root: int) -> dict[int, str]:
    """Those of them that `root` itself has started."""
    return {process: command_line(process) for process in _below().get(root, [])}


def _below() -> dict[int, list[int]]:
    """Process id → the ids of its living children, for all processes."""
    found: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it ended while we looked
        if fields[0] != "Z":
            found.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    return found


def command_line(process: int) -> str:
    """Of a living process; empty if it is gone or a zombie."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""


@contextmanager
def slowed(process: int, *, stands_s: float, runs_s: float) -> Iterator[None]:
    """`process` stands still for `stands_s`, runs for `runs_s`, and so on: a server with far too much to do."""
    enough = threading.Event()

    def slow() -> None:
        while not enough.is_set():
            os.kill(process, signal.SIGSTOP)
            enough.wait(stands_s)
            os.kill(process, signal.SIGCONT)
            enough.wait(runs_s)

    slowing = threading.Thread(target=slow, name="slowing", daemon=True)
    slowing.start()
    try:
        yield
    finally:
        enough.set()
        slowing.join()


def waited_for_processor_s(process: int) -> float:
    """For how long its main thread was ready to run and got no processor, because others had them all."""
    return int(Path(f"/proc/{process}/schedstat").read_text().split()[1]) / 1e9
