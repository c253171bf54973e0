"""Sites with the demo contest: one is filled for the whole run, the others are copies of it."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from tools.services import create_database
from tools.site_process import SiteProcess

FILL = "from e2e.harness.filling import fill; fill()"


@dataclass(frozen=True)
class Template:
    """`folder` holds the data of a filled site that nobody has started, and says who is signed in at it."""

    folder: Path
    sessions: dict[str, list[str]]
    """User name → values of session cookies, each good at every copy."""
    database_url: str = ""
    """In the scaled-out shape."""

    def copy(self, folder: Path, environment: dict[str, str]) -> SiteProcess:
        """A site of its own; not started yet."""
        shutil.copytree(self.folder / "data", folder)
        return SiteProcess(folder, {**_own_database(self.database_url), **environment})


def empty_site(folder: Path, environment: dict[str, str]) -> SiteProcess:
    """A site of its own in which nothing is yet; not started."""
    process = SiteProcess(folder, {**_own_database(), **environment})
    process.manage("migrate", "--verbosity", "0")
    return process


def template(folder: Path) -> Template:
    """Made by the first worker that asks; the others wait for it."""
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        file = folder / "made.json"
        if not file.exists():
            database = _own_database()
            sessions = _fill(folder / "data", database)
            file.write_text(json.dumps({"sessions": sessions, "database_url": database.get("DATABASE_URL", "")}))
    return Template(folder, **json.loads(file.read_text()))


def _own_database(like_url: str = "") -> dict[str, str]:
    """The environment of a site with a database of its own. With SQLite that is a file in the data folder."""
    if os.environ.get("FATHOM_TEST_SHAPE") != "scaled":
        return {}
    return {"DATABASE_URL": create_database(os.environ["DATABASE_URL"], like_url)}


def _fill(data: Path, database: dict[str, str]) -> dict[str, list[str]]:
    data.mkdir(mode=0o700)
    sessions: dict[str, list[str]] = json.loads(SiteProcess(data, database).manage("shell", "-v", "0", "-c", FILL))
    return sessions


def shared_folder(own: Path) -> Path:
    """For all workers of this run, where `own` is the one of this worker."""
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
