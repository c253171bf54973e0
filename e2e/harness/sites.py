"""Sites with the demo contest: one is filled for the whole run, the others are copies of it."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from tools.services import Services
from tools.site_process import SiteProcess

FILL = "from e2e.harness.filling import fill; fill()"


@dataclass(frozen=True)
class Template:
    """`folder` holds the data of a filled site that nobody has started, and says who is signed in at it."""

    folder: Path
    sessions: dict[str, str]
    """User name → the value of a session cookie. Good at every copy."""
    database_url: str = ""
    """In the scaled-out shape."""

    def copy(self, folder: Path, environment: dict[str, str], services: Services | None) -> SiteProcess:
        """A site of its own; not started yet."""
        shutil.copytree(self.folder / "data", folder)
        if services is not None:
            environment = {"DATABASE_URL": services.postgresql.create_database(self.database_url), **environment}
        return SiteProcess(folder, environment)


def template(folder: Path, services: Services | None) -> Template:
    """Made by the first worker that asks; the others wait for it."""
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        file = folder / "made.json"
        if not file.exists():
            url = services.postgresql.create_database() if services is not None else ""
            sessions = json.loads(_fill(folder / "data", url))
            file.write_text(json.dumps({"sessions": sessions, "database_url": url}))
    return Template(folder, **json.loads(file.read_text()))


def _fill(data: Path, database_url: str) -> str:
    data.mkdir(mode=0o700)
    environment = {"FATHOM_DEMO": "1", **({"DATABASE_URL": database_url} if database_url else {})}
    return SiteProcess(data, environment).manage("shell", "-v", "0", "-c", FILL)


def shared_folder(own: Path) -> Path:
    """For all workers of this run, where `own` is the one of this worker."""
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
