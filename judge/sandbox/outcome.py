"""From the helper's report and the pipes to the result of a run."""

from __future__ import annotations

import errno
import os

from judge.sandbox.cgroups import RunGroup
from judge.sandbox.model import RunRequest, RunResult, Status
from judge.sandbox.pump import Channel, Pump
from judge.sandbox.report import Report

_STOPS = {"cpu": Status.CPU_LIMIT, "wall": Status.WALL_LIMIT, "memory": Status.MEMORY_LIMIT}
# exec fails like this when the program's own sections do not fit below its limits.
_TOO_LARGE_TO_START = (errno.ENOMEM, errno.E2BIG)
# … and like this when it is no program at all. Not with "no such file" or "no permission": those are ours.
_NO_PROGRAM = (errno.ENOEXEC, errno.ELIBBAD, errno.EINVAL)
# What the helper and bubblewrap use in the group beside the program: 1 to 2 ms as measured.
_OWN_CPU_MS = 20


def _cpu_us(report: Report, group: RunGroup | None) -> int:
    """The helper's measure is exact but for children that reap themselves (SIGCHLD ignored), who are in the
    group's alone: a program that lets such children compute would have twice its time and more."""
    counted_ms = group.program_cpu_ms() if group is not None else 0
    return counted_ms * 1000 if counted_ms * 1000 > report.cpu_us + _OWN_CPU_MS * 1000 else report.cpu_us


def _status(request: RunRequest, report: Report, pump: Pump, launcher_exit: int, oom: bool, cpu_us: int) -> Status:
    limits = request.limits
    if not report.started:
        return Status.CANCELLED if pump.cancelled else Status.FAULT
    if report.exec_errno is not None:
        return _unstarted(request, report.exec_errno)
    if pump.overflowed:
        return Status.OUTPUT_LIMIT
    if oom or report.memory_kb > limits.memory_kb:
        return Status.MEMORY_LIMIT
    if cpu_us > limits.cpu_ms * 1000:
        return Status.CPU_LIMIT
    if report.stop in _STOPS:
        return _STOPS[report.stop]
    if pump.cancelled:
        return Status.CANCELLED
    if not report.complete:
        return Status.WALL_LIMIT if launcher_exit == 124 else Status.LOST
    return Status.SIGNALED if report.signal is not None else Status.EXITED


def _unstarted(request: RunRequest, error: int) -> Status:
    """A tool below /usr that does not start is our fault; what a stranger's source made is not."""
    if error in _TOO_LARGE_TO_START:
        return Status.MEMORY_LIMIT
    made_by_stranger = request.argv[0].startswith("/box/")
    return Status.UNSTARTABLE if made_by_stranger and error in _NO_PROGRAM else Status.FAULT


def _why(status: Status, report: Report, stderr: Channel) -> str:
    if status is Status.LOST:
        return "The program ended the process that measured it."
    if status in (Status.FAULT, Status.UNSTARTABLE) and report.exec_errno is not None:
        return f"The program could not be started: {os.strerror(report.exec_errno)}."
    if status is Status.FAULT:
        message = bytes(stderr.data).decode("utf-8", "replace").strip()
        return f"The jail did not start: {message[:1000] or 'it said nothing'}"
    return ""


def make_result(
    request: RunRequest, report: Report, pump: Pump, launcher_exit: int, group: RunGroup | None
) -> RunResult:
    channels = {channel.name: channel for channel in pump.channels.values()}
    stdout, stderr = channels.get("stdout", Channel("stdout", 0, 0)), channels["stderr"]
    oom = group is not None and group.was_out_of_memory()
    cpu_us = _cpu_us(report, group)
    status = _status(request, report, pump, launcher_exit, oom, cpu_us)
    memory_kb = max(report.memory_kb, request.limits.memory_kb) if oom else report.memory_kb
    cpu_ms, wall_ms = cpu_us // 1000, report.wall_us // 1000
    if not report.complete:
        # Without the helper's word the wall limit is the only bound known.
        wall_ms = request.limits.longest_wall_ms if status is Status.WALL_LIMIT else 0
    return RunResult(
        status=status,
        exit_code=report.exit_code,
        signal=report.signal,
        cpu_ms=cpu_ms,
        wall_ms=wall_ms,
        memory_kb=memory_kb,
        stdout=bytes(stdout.data),
        stderr=bytes(stderr.data),
        truncated=stdout.truncated or stderr.truncated,
        why=_why(status, report, stderr),
        files=tuple(report.files),
        files_trouble=report.files_trouble,
    )
