"""The machine under the run: which core does what, and what a reader must know to judge the figures."""

from __future__ import annotations

import os
import platform
import resource
import sqlite3
from collections.abc import Generator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version

from bench.report import Cell

SERVER_CORE, LOAD_CORE = 0, 1
PACKAGES = ("django", "channels", "uvicorn", "uvloop", "psycopg", "daphne", "picows")


def has_two_cores() -> bool:
    return (os.cpu_count() or 1) >= 2


@contextmanager
def on_core(core: int) -> Generator[None, None, None]:
    """Processes started in here stay on `core`, as this thread does meanwhile. With one core nothing is pinned."""
    before = os.sched_getaffinity(0)
    if has_two_cores():
        os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def allow_many_sockets() -> int:
    """As many descriptors as this user may have; answers how many."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def describe() -> dict[str, Cell]:
    """No host name and no path: the report may be published."""
    found: dict[str, Cell] = {
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "cores": os.cpu_count(),
        "pinned": "server on one core, load and database on the other" if has_two_cores() else "no: one core",
        "kernel": platform.release().split("-")[0],
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
    }
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found
