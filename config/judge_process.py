"""The judge as a child of `serve`: started, restarted with back-off, and never left behind."""

from __future__ import annotations

import asyncio
import ctypes
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence

from django.conf import settings

logger = logging.getLogger(__name__)

BACK_OFF_FIRST_S = 1.0
BACK_OFF_MAX_S = 30.0
HEALTHY_AFTER_S = 60.0
STOP_PATIENCE_S = 5.0
STOP_PATIENCE_MIN_S = 0.5
PR_SET_PDEATHSIG = 1

_libc = ctypes.CDLL(None, use_errno=True)


class JudgeProcess:
    """`manage.py judge` for as long as `run` runs. Start it from the main thread: the kernel ends the child
    when the thread that made it ends."""

    def __init__(self, command: Sequence[str] | None = None) -> None:
        self._command = command or [sys.executable, str(settings.BASE_DIR / "manage.py"), "judge"]
        self._process: subprocess.Popen[bytes] | None = None
        self._asked_s: float | None = None

    async def run(self) -> None:
        """Keep a judge running until cancelled or asked to end; `stop` ends it."""
        wait_s = BACK_OFF_FIRST_S
        while not self._is_ending():
            started_s = time.monotonic()
            status = await self._run_once()
            if self._is_ending():
                return  # as wished: another one would be in the way of ending
            if time.monotonic() - started_s >= HEALTHY_AFTER_S:
                wait_s = BACK_OFF_FIRST_S
            logger.warning("the judge ended with status %s; it starts again in %.0f s", status, wait_s)
            await asyncio.sleep(wait_s)
            wait_s = min(wait_s * 2, BACK_OFF_MAX_S)

    async def _run_once(self) -> int:
        self._process = process = start_child(self._command)
        return await asyncio.to_thread(process.wait)

    def _is_ending(self) -> bool:
        return self._asked_s is not None

    def begin_stop(self) -> None:
        """Ask it to end; it finishes or gives back what it holds. Its patience is counted from the first time."""
        if self._asked_s is None:
            self._asked_s = time.monotonic()
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)

    async def stop(self) -> None:
        """End it: asked first, then killed."""
        process = self._process
        if process is None:
            return
        self.begin_stop()
        try:
            await asyncio.wait_for(asyncio.to_thread(process.wait), self._patience_s())
        except TimeoutError:
            logger.warning("the judge does not end and is killed")
            process.kill()

    def _patience_s(self) -> float:
        """What is left of STOP_PATIENCE_S; a moment at least, in which to see that it has ended."""
        waited_s = 0.0 if self._asked_s is None else time.monotonic() - self._asked_s
        return max(STOP_PATIENCE_MIN_S, STOP_PATIENCE_S - waited_s)


def start_child(command: Sequence[str]) -> subprocess.Popen[bytes]:
    """A child that is told to end when this process dies, however it dies.

    In a session of its own: Ctrl-C in a terminal goes to this process alone, which ends both in order.
    """
    parent = os.getpid()

    def die_with_parent() -> None:
        _libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:  # it died between the fork and the line above
            os._exit(1)

    return subprocess.Popen(command, start_new_session=True, preexec_fn=die_with_parent)
