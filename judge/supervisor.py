"""The judge's first process: starts slots and their waker, starts again what dies or hangs, ends them all.

It never opens a database connection itself, so that a slot can be forked from it at any time.
"""

from __future__ import annotations

import logging
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from contest.services.queue import LEASE_S
from judge.beat import Beat
from judge.paths import HELPER_CACHE
from judge.processes import Place, run_slot, run_waker
from judge.programs import make_reachable
from judge.sandbox.setup import jail_home
from judge.sandbox.strays import become_subreaper

log = logging.getLogger("judge")

STOP_WITHIN_S = 4.0
"""Slots give back what they have within a moment; what hangs longer is killed."""
WATCH_EVERY_S = 5.0
STUCK_AFTER_S = 2 * LEASE_S
"""Without a sign of life for so long a process hangs; its lease ran out long before."""
_RESTART_PAUSE_S = 1.0
_SIGNALS = {signal.SIGCHLD, signal.SIGTERM, signal.SIGINT}


@dataclass
class Child:
    """One process below the supervisor. `start` gets its sign of life and the process id of the one before it."""

    start: Callable[[Beat, str | None], None]
    beat: Beat = field(default_factory=Beat)
    pid: int = 0
    predecessor: str | None = None
    not_before_s: float = 0.0


@dataclass
class Supervisor:
    """`name` is the node's; it names leases."""

    name: str
    slots: int
    children: list[Child] = field(default_factory=list)

    def run(self) -> None:
        """Until SIGTERM or SIGINT."""
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        become_subreaper()
        with jail_home(HELPER_CACHE) as home:
            make_reachable(home / "validators")
            self._plan(home)
            log.info("judge %s: %d slots", self.name, self.slots)
            try:
                while self._tend():
                    pass
            finally:
                self._stop_all()

    def _plan(self, home: Path) -> None:
        places = []
        for number in range(self.slots):
            read, write = os.pipe()
            os.set_blocking(write, False)
            # With more than one slot, the first is kept for submissions.
            keeps_free = number == 0 and self.slots > 1
            places.append(Place(number, self.name, home, (read, write), not keeps_free))
        wakes = [place.wake[1] for place in places]
        self.children = [Child(partial(run_waker, self.name, wakes))]
        for place in places:
            self.children.append(Child(partial(run_slot, place)))

    def _tend(self) -> bool:
        """Starts what is missing, then waits for the next signal. False when it is time to stop."""
        now = time.monotonic()
        for child in self.children:
            if child.pid == 0 and now >= child.not_before_s:
                self._start(child)
        missing = any(child.pid == 0 for child in self.children)
        received = signal.sigtimedwait(_SIGNALS, _RESTART_PAUSE_S if missing else WATCH_EVERY_S)
        if received is not None and received.si_signo != signal.SIGCHLD:
            return False
        self._reap()
        if time.monotonic() - now < 2 * WATCH_EVERY_S:  # else this process stood still itself, and knows of nothing
            self._kill_stuck()
        return True

    def _kill_stuck(self) -> None:
        """It is started again like one that died; what it held goes back to the queue at once."""
        for child in self.children:
            if child.pid and child.beat.age_s() > STUCK_AFTER_S:
                log.warning("process %d of the judge has hung for %d s and is killed", child.pid, child.beat.age_s())
                os.kill(child.pid, signal.SIGKILL)
                child.beat.now()  # it dies in a moment

    def _start(self, child: Child) -> None:
        child.beat.now()
        pid = os.fork()
        if pid != 0:
            child.pid = pid
            return
        status = 1
        try:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
            child.start(child.beat, child.predecessor)
            status = 0
        except BaseException:
            log.exception("a process of the judge failed")
        finally:
            os._exit(status)  # never back into the supervisor's code

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            for child in self.children:
                if child.pid == pid:
                    log.warning("a process of the judge ended with status %d and is started again", status)
                    child.pid, child.predecessor = 0, str(pid)
                    child.not_before_s = time.monotonic() + _RESTART_PAUSE_S

    def _stop_all(self) -> None:
        self._signal_all(signal.SIGTERM)
        deadline = time.monotonic() + STOP_WITHIN_S
        while self._alive() and time.monotonic() < deadline:
            signal.sigtimedwait({signal.SIGCHLD}, 0.2)
        self._signal_all(signal.SIGKILL)
        while self._alive():
            signal.sigtimedwait({signal.SIGCHLD}, 0.2)

    def _signal_all(self, number: signal.Signals) -> None:
        for child in self.children:
            if child.pid:
                os.kill(child.pid, number)

    def _alive(self) -> bool:
        while True:
            try:
                pid, _status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                pid = 0
            for child in self.children:
                if pid and child.pid == pid:
                    child.pid = 0
            if pid == 0:
                return any(child.pid for child in self.children)
