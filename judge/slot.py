"""What a slot has at hand while it judges, and how it names its folders."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from contest.services.queue import LEASE_S
from judge.blobs import BlobCache
from judge.packages import PackageCache
from judge.sandbox import Jail


class JudgeFault(Exception):
    """The judge could not do its work; the record goes back to the queue. The message is for staff."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One place where one program at a time is judged. `name` is what leases are held under."""

    name: str
    jail: Jail
    blobs: BlobCache
    packages: PackageCache
    is_stopping: Callable[[], bool]
    lease_s: float = LEASE_S

    @contextlib.contextmanager
    def program_folder(self) -> Iterator[Path]:
        """A fresh folder for one compiled program."""
        folder = Path(tempfile.mkdtemp(prefix="program-", dir=self.jail.home))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
