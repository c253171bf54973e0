"""Django's SQLite backend, with the transactions of this process standing in line for the writer's lock.

SQLite lets one transaction write at a time and has no queue: whoever finds it taken sleeps (up to
100 ms) and looks again. With ten threads the database then stands idle most of the time while all
of them sleep, and one of them may find it taken for 20 s on end. Other processes still do it that
way, and so does a single statement outside of a transaction; of this process's transactions at most
one does.
"""

from __future__ import annotations

from typing import Any

from django.db.backends.sqlite3 import base
from django.db.utils import OperationalError

from config.fair_sqlite3.queue import FairLock

_locks: dict[str, FairLock] = {}
"""By file; made under the GIL by `setdefault`."""


class DatabaseWrapper(base.DatabaseWrapper):
    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._held: FairLock | None = None

    def _start_transaction_under_autocommit(self) -> None:
        lock = _locks.setdefault(str(self.settings_dict["NAME"]), FairLock())
        if not lock.acquire(self.settings_dict["OPTIONS"]["timeout"]):
            raise OperationalError("database is locked")
        self._held = lock
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self._let_go()
            raise

    def _commit(self) -> None:
        super()._commit()  # type: ignore[misc]  # where this fails, a rollback or a close follows
        self._let_go()

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]  # Django's base has it
        finally:
            self._let_go()

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]  # Django's base has it
        finally:
            self._let_go()

    def _let_go(self) -> None:
        held, self._held = self._held, None
        if held is not None:
            held.release()
