"""The site as a process on a core of its own, with contestants who are signed in."""

from __future__ import annotations

import tempfile
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.stage.machine import LOAD_CORE, SERVER_CORE, on_core
from bench.stage.rows import Rows
from tools.services import Services
from tools.site_process import SiteProcess

SLUG = "demo"
SQLITE, POSTGRESQL = "SQLite", "PostgreSQL"


@dataclass(frozen=True)
class Site:
    """`sessions` are the cookies of c00001, c00002, …, in order."""

    database: str
    port: int
    pid: int
    sessions: list[str]
    rows: Rows
    process: SiteProcess

    def path(self, stream: str) -> str:
        return f"/ws/contests/{SLUG}/{stream}"

    def faults(self) -> list[str]:
        """Lines of the server's log that no load may cause."""
        return [line for line in self.process.log if "Traceback" in line or " ERROR " in line]


@contextmanager
def serving(database: str, contestants: int) -> Generator[Site, None, None]:
    """One web process without a judge, on a fresh database that writes to the disk as in earnest."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fathom-bench-")))
        environment = {"FATHOM_JUDGE_SLOTS": "0"}
        if database == POSTGRESQL:
            with on_core(LOAD_CORE):
                environment |= stack.enter_context(Services(fsync=True)).environment()
        process = SiteProcess(folder / "data", environment)
        sessions = folder / "sessions"
        process.manage("migrate", "--verbosity", "0")
        process.manage("demo", "--contestants", str(contestants), "--sessions-file", str(sessions))
        with on_core(SERVER_CORE):
            process.start()
        stack.callback(process.end)
        assert process.process is not None
        rows = stack.enter_context(Rows(environment.get("DATABASE_URL") or folder / "data" / "fathom.sqlite3"))
        yield Site(database, process.port, process.process.pid, sessions.read_text().split(), rows, process)
