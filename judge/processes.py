"""The two kinds of processes below the supervisor: slots, and the one that wakes them."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from django.conf import settings
from django.db import Error, connection

from contest.services.queue import expire_leases
from judge import nodes
from judge.beat import Beat
from judge.blobs import BlobCache
from judge.packages import PackageCache
from judge.sandbox import Jail
from judge.sandbox.setup import slot_home
from judge.sandbox.strays import become_subreaper, die_with_parent, reap_strays
from judge.slot import Slot
from judge.waking import watch
from judge.worker import PAUSE_AFTER_FAULT_S, Worker

log = logging.getLogger("judge")


class Stopping:
    """Set by SIGTERM. The write into `wake` ends a wait at once.

    All that such a process does asks at least every second whether it is to stop, so that each question is a sign
    of life: a program in the jail is watched all the while, and the database and comparing do not take so long.
    """

    def __init__(self, beat: Beat, wake: int | None = None) -> None:
        self._beat = beat
        self._wake = wake
        self._set = False
        signal.signal(signal.SIGTERM, self._on_signal)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all; the supervisor decides

    def __call__(self) -> bool:
        self._beat.now()
        return self._set

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self._set = True
        if self._wake is not None:
            with contextlib.suppress(BlockingIOError):
                os.write(self._wake, b"!")


@dataclass(frozen=True, slots=True)
class Place:
    """What the supervisor gives a slot. `wake` is a pipe: (read end, write end)."""

    number: int
    name: str
    home: Path
    wake: tuple[int, int]
    takes_selftests: bool


def blob_cache() -> BlobCache:
    return BlobCache(settings.FATHOM.data_dir / "judge" / "blobs")


def run_slot(place: Place, beat: Beat, predecessor: str | None) -> None:
    """A slot's process, until it is told to stop."""
    die_with_parent(signal.SIGTERM)
    become_subreaper()
    stopping = Stopping(beat, place.wake[1])
    name = f"{place.name}/{place.number}.{os.getpid()}"
    if predecessor is not None:
        # The supervisor saw it die: its leases need not run out first.
        with contextlib.suppress(Error):
            expire_leases(f"{place.name}/{place.number}.{predecessor}")
    blobs = blob_cache()
    with slot_home(place.home, place.number) as home, Jail(home) as jail:
        packages = PackageCache(place.home / "validators", blobs)
        slot = Slot(name, jail, blobs, packages, stopping)
        Worker(slot, place.wake[0], place.takes_selftests, reap_strays).run()


def run_waker(name: str, wakes: list[int], beat: Beat, _predecessor: str | None) -> None:
    """The process that looks for hints, and that says that this judge lives."""
    die_with_parent(signal.SIGTERM)
    stopping = Stopping(beat)
    announced_at = 0.0

    def wake() -> None:
        for descriptor in wakes:
            with contextlib.suppress(BlockingIOError):  # full: it will wake anyway
                os.write(descriptor, b".")

    def announce() -> None:
        nonlocal announced_at
        if time.monotonic() - announced_at >= nodes.ANNOUNCE_EVERY_S or announced_at == 0.0:
            nodes.announce(name, len(wakes), starting=announced_at == 0.0)
            announced_at = time.monotonic()

    while not stopping():
        try:
            watch(wake, announce, stopping)
        except Error:
            log.exception("the judge's waker lost the database; slots look every second meanwhile")
            connection.close()
            time.sleep(PAUSE_AFTER_FAULT_S)
    with contextlib.suppress(Error):
        nodes.withdraw(name)
