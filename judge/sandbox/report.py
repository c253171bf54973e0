"""Reading what the helper wrote: its lines and the collected files. Pure.

The helper is ours, but it runs beside a stranger's program: nothing of the report is believed beyond its
form, and names of files are checked again before anybody writes them to a disk.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from judge.sandbox.model import CollectedFile


class MalformedReport(ValueError):
    """The report is cut off or not in its form."""


@dataclass(slots=True)
class Report:
    """`started`: the jail stood. `complete`: the helper reached its end, so the measurements count."""

    started: bool = False
    complete: bool = False
    exec_errno: int | None = None
    stop: str = "none"
    exit_code: int | None = None
    signal: int | None = None
    cpu_us: int = 0
    wall_us: int = 0
    memory_kb: int = 0
    files: list[CollectedFile] = field(default_factory=list)
    files_trouble: str = ""


def last_meter(data: bytes | bytearray) -> tuple[int, int] | None:
    """(CPU time in ms, memory in KiB) as the last whole line of `data` that tells it says; None: none does."""
    found = _METER.findall(data)
    return (int(found[-1][0]) // 1000, int(found[-1][1])) if found else None


_METER = re.compile(rb"^meter cpu_us=(\d{1,15}) memory_kb=(\d{1,15})\n", re.MULTILINE)


def _fields(words: list[str]) -> dict[str, str]:
    return dict(word.split("=", 1) for word in words)


def _read_end(report: Report, words: list[str]) -> None:
    values = _fields(words)
    exit_code, signal = int(values["exit"]), int(values["signal"])
    report.stop = values["stop"]
    report.exit_code = exit_code if exit_code >= 0 else None
    report.signal = signal or None
    report.cpu_us, report.wall_us = int(values["cpu_us"]), int(values["wall_us"])
    report.memory_kb = int(values["memory_kb"])


def _safe(path: str) -> str:
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts:
        raise MalformedReport("a collected file has an unsafe name")
    return path


def _read_file(report: Report, rest: str, data: bytes, at: int) -> int:
    size_word, mode_word, path_word = rest.split(" ", 2)
    values = _fields([size_word, mode_word, path_word])
    size = int(values["size"])
    if size < 0 or at + size > len(data):
        raise MalformedReport("a collected file is cut off")
    executable = bool(int(values["mode"], 8) & 0o100)
    report.files.append(CollectedFile(_safe(values["path"]), executable, data[at : at + size]))
    return at + size


def _read_line(report: Report, line: str, data: bytes, at: int) -> int:
    """Takes in one line; returns where the next begins."""
    kind, _, rest = line.partition(" ")
    if kind == "started":
        report.started = True
    elif kind == "exec":
        report.exec_errno = int(_fields([rest])["errno"])
    elif kind == "meter":
        pass  # was of interest while the program ran
    elif kind == "end":
        _read_end(report, rest.split(" "))
    elif kind == "file":
        return _read_file(report, rest, data, at)
    elif kind == "trouble":
        report.files_trouble = _fields([rest])["what"]
        report.files.clear()
    elif kind == "done":
        report.complete = True
    else:
        raise MalformedReport("an unknown line")
    return at


def parse_report(data: bytes) -> Report:
    """Raises MalformedReport; a report that merely stops early comes back with complete=False."""
    report = Report()
    at = 0
    try:
        while not report.complete and (end := data.find(b"\n", at)) >= 0:
            line = data[at:end].decode("utf-8", "surrogateescape")
            at = _read_line(report, line, data, end + 1)
    except MalformedReport:
        raise
    except (ValueError, KeyError) as error:
        raise MalformedReport(f"not in its form: {error}") from error
    return report
