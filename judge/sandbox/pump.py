"""Carrying a program's output out of the jail while it runs, bounded."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from judge.sandbox.report import last_meter

_CHUNK = 64 * 1024
# How often somebody is asked whether the run is still wanted, in ms.
_ASK_EVERY_MS = 50

OnOutput = Callable[[str, bytes], None]
OnMeter = Callable[[int, int], None]
ShouldStop = Callable[[], bool]


@dataclass(slots=True)
class Channel:
    """One pipe of the jail. `keep` bytes are kept, beyond `allowed` bytes the program is stopped."""

    name: str
    keep: int
    allowed: int
    data: bytearray = field(default_factory=bytearray)
    seen: int = 0

    @property
    def overflowed(self) -> bool:
        return self.seen > self.allowed

    @property
    def truncated(self) -> bool:
        return self.seen > len(self.data)

    def take(self, chunk: bytes) -> bytes:
        """Counts a chunk; returns the part of it that is within what is kept."""
        self.seen += len(chunk)
        kept = chunk[: max(0, self.keep - len(self.data))]
        self.data += kept
        return kept


@dataclass(slots=True)
class Pump:
    """Reads all channels until the jail has closed them. Closes `control` to make the program stop."""

    channels: dict[int, Channel]
    control: int
    on_output: OnOutput | None = None
    should_stop: ShouldStop | None = None
    on_meter: OnMeter | None = None  # CPU time in ms and memory in KiB so far
    on_started: Callable[[], None] | None = None  # when the helper says that the program is about to start
    overflowed: bool = False
    cancelled: bool = False
    finished: bool = False
    _stopping: bool = False
    _metered: int = 0  # bytes of the report in which meters were looked for

    def run(self, deadline_s: float) -> None:
        """Until every channel came to its end (then `finished`), or until `deadline_s` (monotonic)."""
        poll = select.poll()
        for descriptor in self.channels:
            poll.register(descriptor, select.POLLIN)
        still_open = set(self.channels)
        while still_open:
            left_ms = (deadline_s - time.monotonic()) * 1000
            if left_ms <= 0:
                return
            for descriptor, _event in poll.poll(min(left_ms, _ASK_EVERY_MS) if self.should_stop else left_ms):
                if not self._read(descriptor):
                    poll.unregister(descriptor)
                    still_open.discard(descriptor)
            self._ask()
        self.finished = True

    def stop_program(self) -> None:
        """The helper sees its control pipe close, stops the program and reports; the launcher insists."""
        if not self._stopping:
            self._stopping = True
            os.close(self.control)

    def close(self) -> None:
        self.stop_program()
        for descriptor in self.channels:
            os.close(descriptor)

    def _read(self, descriptor: int) -> bool:
        channel = self.channels[descriptor]
        chunk = os.read(descriptor, _CHUNK)
        if channel.name == "report" and channel.seen == 0 and self.on_started is not None:
            self.on_started()
        kept = channel.take(chunk)
        if channel.name == "report" and self.on_meter is not None:
            self._meter(channel)
        if kept and self.on_output is not None and channel.name != "report":
            self.on_output(channel.name, kept)
        if channel.overflowed and not self.overflowed:
            self.overflowed = True
            self.stop_program()
        return bool(chunk)

    def _meter(self, report: Channel) -> None:
        """The helper writes each line at once, so what has just come begins with a line."""
        used = last_meter(report.data[self._metered :])
        self._metered = report.data.rfind(b"\n") + 1
        if used is not None and self.on_meter is not None:
            self.on_meter(*used)

    def _ask(self) -> None:
        if self.should_stop is not None and not self._stopping and self.should_stop():
            self.cancelled = True
            self.stop_program()
