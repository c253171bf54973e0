"""One `serve` at a time on an SQLite data folder.

A second one is a terminal that somebody forgot: it would start a second judge on the same cores,
and both would wait for SQLite's one writer. Several nodes share a PostgreSQL instead.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from config.environment import BadEnvironment


class SoleServer:
    """Holds `serve.lock` in the data folder until `release` or until the process ends, however it ends.

    The judge and management commands take no lock. Children do not inherit it: a judge that outlives
    a killed server must not keep the next one from starting.
    """

    def __init__(self, data_dir: Path) -> None:
        """Raises BadEnvironment if another server runs there."""
        self._descriptor = os.open(data_dir / "serve.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(self._descriptor)
            raise BadEnvironment(
                f"Another server is running on the data folder {data_dir}: stop it, or give this one a FATHOM_DATA_DIR."
            ) from error

    def release(self) -> None:
        os.close(self._descriptor)
