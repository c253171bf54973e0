"""One slot's loop: take the next row, judge it, give it back if it cannot be finished."""

from __future__ import annotations

import contextlib
import logging
import os
import select
from collections.abc import Callable
from dataclasses import dataclass

from django.db import Error, close_old_connections, connection

from contest.services.queue import LeaseLost
from judge.lease_keeper import Interrupted, Stop
from judge.queue import Job, next_job
from judge.slot import Slot

log = logging.getLogger("judge")

LOOK_EVERY_S = 1.0
"""Without any hint an idle slot looks this often."""
PAUSE_AFTER_FAULT_S = 1.0


@dataclass
class Worker:
    """`wake` is a descriptor that becomes readable when there may be something to do; `tidy` is called after
    each row, and in a process that is nothing but a slot kills what a jail may have left."""

    slot: Slot
    wake: int
    takes_selftests: bool = True
    tidy: Callable[[], object] | None = None
    # A row that could not be given back while the database was away.
    _owed: Job | None = None

    def run(self) -> None:
        """Until the slot is told to stop."""
        while not self.slot.is_stopping():
            try:
                self._settle_debt()
                if not self.step():
                    self._wait(LOOK_EVERY_S)
            except Error:
                log.exception("slot %s: the database does not answer", self.slot.name)
                connection.close()
                self._wait(PAUSE_AFTER_FAULT_S)
        with contextlib.suppress(Error):  # else its lease runs out
            self._settle_debt()

    def step(self) -> bool:
        """Judge one row, if one waits; whether there was one."""
        close_old_connections()
        job = next_job(self.slot, takes_selftests=self.takes_selftests)
        if job is None:
            return False
        self._owed = job
        try:
            job.work.judge()
            self._owed = None
        except LeaseLost:
            self._lost(job)
        except Interrupted as interrupted:
            if interrupted.stop is Stop.LEASE_LOST:
                self._lost(job)
            else:
                self._give_back(job)
        except Error:
            raise
        except Exception as fault:
            # Whatever it was, it is our fault and not the contestant's.
            log.exception("slot %s: %s could not be judged", self.slot.name, job.name)
            self._give_back(job, f"{type(fault).__name__}: {fault}"[:2000])
            self._wait(PAUSE_AFTER_FAULT_S)
        finally:
            if self.tidy is not None:
                self.tidy()
        return True

    def _lost(self, job: Job) -> None:
        log.warning("slot %s: %s belongs to another worker now", self.slot.name, job.name)
        self._owed = None

    def _give_back(self, job: Job, failure: str = "") -> None:
        try:
            job.give_back(failure)
        except LeaseLost:
            self._lost(job)
        self._owed = None

    def _settle_debt(self) -> None:
        """What a database failure kept us from giving back; another worker may have it by now."""
        if self._owed is not None:
            self._give_back(self._owed)

    def _wait(self, seconds: float) -> None:
        readable, _, _ = select.select([self.wake], [], [], seconds)
        if readable:
            os.read(self.wake, 4096)
