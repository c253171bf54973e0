"""Which processes descend from one, by /proc."""

from __future__ import annotations

from pathlib import Path


def descendants(root: int) -> dict[int, str]:
    """Process id → command line of every living descendant of `root`, itself not included."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it ended while we looked
        if fields[0] != "Z":
            children.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found: dict[int, str] = {}
    waiting = list(children.get(root, []))
    while waiting:
        process = waiting.pop()
        found[process] = command_line(process)
        waiting += children.get(process, [])
    return found


def command_line(process: int) -> str:
    """Of a living process; empty if it is gone or a zombie."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""
