"""One slot's jail: runs one program at a time and leaves nothing behind.

Use it from the main thread of its process: the launcher dies with the thread that started it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import platform
import subprocess
import time
from pathlib import Path
from types import TracebackType

from judge.sandbox.cgroups import Groups, RunGroup, find_groups
from judge.sandbox.command import HARD_STOP_AFTER_MS, Plumbing, command_line
from judge.sandbox.identity import SlotIdentity, take_identity
from judge.sandbox.model import RunRequest, RunResult
from judge.sandbox.outcome import make_result
from judge.sandbox.pump import Channel, OnMeter, OnOutput, Pump, ShouldStop
from judge.sandbox.report import MalformedReport, Report, parse_report
from judge.sandbox.seccomp import filter_program

# Beyond the launcher's own deadline before it is killed itself, in s. Never reached unless the host hangs.
_LAUNCHER_GRACE_S = 5.0
_REPORT_OVERHEAD = 1024 * 1024
_SEALS = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL


def _sealed(content: bytes) -> int:
    """A file in memory that nobody can change any more, positioned at its beginning."""
    descriptor = os.memfd_create("jail", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    with os.fdopen(os.dup(descriptor), "wb") as file:
        file.write(content)
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, _SEALS)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


class Jail:
    """A place to run programs, one after another. `home` is a folder made by `jail_home`."""

    def __init__(self, home: Path, groups: Groups | None = None) -> None:
        self.home = home
        self.identity: SlotIdentity = take_identity()
        self.groups = find_groups() if groups is None else groups
        self.groups.sweep()

    def __enter__(self) -> Jail:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.identity.release()

    def run(
        self,
        request: RunRequest,
        on_output: OnOutput | None = None,
        should_stop: ShouldStop | None = None,
        on_meter: OnMeter | None = None,
    ) -> RunResult:
        """Runs it to its end. While the program runs `on_output(name, chunk)` gets its stdout and stderr, and
        `on_meter(cpu_ms, memory_kb)` what it has used, as often as the request says; `should_stop` is asked every
        50 ms and ends the run as CANCELLED.

        Raises only for faults of the host (no descriptors, no processes), never for what the program does.
        """
        with contextlib.ExitStack() as stack:
            group = self._group(request, stack)
            pump, launcher = self._start(request, group, stack, on_output, should_stop)
            pump.on_meter = on_meter
            hard_s = (request.limits.longest_wall_ms + HARD_STOP_AFTER_MS) / 1000
            try:
                pump.run(time.monotonic() + hard_s + _LAUNCHER_GRACE_S)
            finally:
                _end(pump, launcher)
            report = _parse(pump)
            return make_result(request, report, pump, launcher.returncode, group)

    def _group(self, request: RunRequest, stack: contextlib.ExitStack) -> RunGroup | None:
        if not self.groups.available:
            return None
        group = self.groups.make(request.limits.memory_kb, request.limits.processes)
        stack.callback(group.remove)
        return group

    def _start(
        self,
        request: RunRequest,
        group: RunGroup | None,
        stack: contextlib.ExitStack,
        on_output: OnOutput | None,
        should_stop: ShouldStop | None,
    ) -> tuple[Pump, subprocess.Popen[bytes]]:
        """Starts the launcher; afterwards this process holds only its own ends of the pipes."""
        with contextlib.ExitStack() as given:
            out_read, out_write = self._output(request, given)
            err_read, err_write = self._pipe(given)
            report_read, report_write = self._pipe(given)
            control_read, control_write = _pipe_towards_jail(given)
            limits = request.limits
            report_bytes = request.collect_bytes + _REPORT_OVERHEAD
            channels = {
                err_read: Channel("stderr", request.stderr_bytes, limits.output_bytes),
                report_read: Channel("report", report_bytes, report_bytes),
            }
            if out_read is not None:
                channels[out_read] = Channel("stdout", limits.output_bytes, limits.output_bytes)
            on_started = group.program_starts if group is not None else None
            pump = Pump(channels, control_write, on_output, should_stop, on_started=on_started)
            stack.callback(pump.close)
            rules = filter_program(platform.machine(), counts_memory=group is not None)
            seccomp = _owned(given, _sealed(rules))
            plumbing = Plumbing(
                helper=self.home / "helper",
                uid=self.identity.uid,
                report=report_write,
                control=control_read,
                seccomp=seccomp,
                group_files=group.procs_files if group else (),
                group_counts_memory=group is not None,
            )
            launcher = subprocess.Popen(
                command_line(request, plumbing),
                stdin=self._stdin(request, given),
                stdout=out_write,
                stderr=err_write,
                pass_fds=(report_write, control_read, seccomp),
                cwd="/",
                env={},
            )
        return pump, launcher

    def _stdin(self, request: RunRequest, given: contextlib.ExitStack) -> int:
        source = request.stdin
        if isinstance(source, int):
            return source
        if isinstance(source, Path) and self.identity.is_separate:
            return _owned(given, os.open(source, os.O_RDONLY | os.O_CLOEXEC))
        # Under the judge's own user id the program could change the very file through its descriptor.
        return _owned(given, _sealed(source if isinstance(source, bytes) else source.read_bytes()))

    def _output(self, request: RunRequest, given: contextlib.ExitStack) -> tuple[int | None, int]:
        if request.stdout is not None:
            return None, request.stdout
        return self._pipe(given)

    def _pipe(self, given: contextlib.ExitStack) -> tuple[int, int]:
        """A pipe out of the jail. It belongs to the slot's user, so that /dev/stdout can be opened."""
        read, write = os.pipe()
        _owned(given, write)
        if self.identity.uid is not None:
            os.fchown(write, self.identity.uid, self.identity.uid)
        return read, write


def _end(pump: Pump, launcher: subprocess.Popen[bytes]) -> None:
    """The launcher goes last: when it is gone, everything in the jail is. It is killed only if it hangs."""
    try:
        if not pump.finished:
            pump.stop_program()
        launcher.wait(_LAUNCHER_GRACE_S)
    except subprocess.TimeoutExpired:
        launcher.kill()
        launcher.wait()


def _owned(given: contextlib.ExitStack, descriptor: int) -> int:
    given.callback(os.close, descriptor)
    return descriptor


def _pipe_towards_jail(given: contextlib.ExitStack) -> tuple[int, int]:
    read, write = os.pipe()
    _owned(given, read)
    return read, write


def _parse(pump: Pump) -> Report:
    data = next(channel.data for channel in pump.channels.values() if channel.name == "report")
    try:
        return parse_report(bytes(data))
    except MalformedReport:
        # Only our helper holds the pipe: what it could not finish counts as not said.
        return Report(started=data.startswith(b"started\n"))
