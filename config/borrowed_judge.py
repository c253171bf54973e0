"""A judge for as long as a command waits for verdicts, where no other judge is running."""

from __future__ import annotations

import signal
import subprocess
import sys
from types import TracebackType
from typing import Self

from django.conf import settings

from config.judge_process import STOP_PATIENCE_S, start_child
from judge.nodes import living


class CannotJudge(Exception):
    """No judge is running, and the one that was started here ended at once; it has said why."""


class BorrowedJudge:
    """Looks after verdicts: leaves the work to judges that run, else starts one with a single slot."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def ensure(self) -> None:
        """Call it now and again: a judge that was killed counts as running for a minute."""
        if self._process is not None:
            if self._process.poll() is not None:
                raise CannotJudge
        elif not living().exists():
            manage = str(settings.BASE_DIR / "manage.py")
            self._process = start_child([sys.executable, manage, "judge", "--slots", "1"])

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Ends the judge that was started here; what it had not finished waits for another."""
        if self._process is None or self._process.poll() is not None:
            return
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(STOP_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
