"""PostgreSQL and Redis for tests: each started in a folder and on a Unix socket of its own, ended by process id."""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

import psycopg

START_TIMEOUT_S = 20.0


class MissingTool(Exception):
    """One sentence: what is missing and how to get it."""


class Redis:
    """A Redis server without persistence. `stop`, `kill` and `start` may be called by tests."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.socket = folder / "redis.sock"
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"unix://{self.socket}"

    def start(self) -> None:
        self.folder.mkdir(exist_ok=True)
        program = _find("redis-server", "redis-server")
        self.process = subprocess.Popen(
            [
                *[program, "--port", "0", "--unixsocket", str(self.socket), "--dir", str(self.folder)],
                *["--save", "", "--appendonly", "no"],
            ],
            stdout=subprocess.DEVNULL,
        )
        _wait_until(self.socket.exists, "redis-server")

    def stop(self) -> None:
        _end(self.process)
        self.process = None


class PostgreSQL:
    """A throw-away PostgreSQL cluster. It refuses to run as root, so root runs it as user `postgres`."""

    def __init__(self, folder: Path, *, fsync: bool = False) -> None:
        """`fsync`: commits wait for the disk, as in earnest; tests have no use for that."""
        self.folder = folder
        self.data = folder / "data"
        self.fsync = fsync
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def user(self) -> str:
        return "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name

    @property
    def url(self) -> str:
        return self.url_of("postgres")

    def url_of(self, database: str) -> str:
        return f"postgres://{self.user}@{str(self.folder).replace('/', '%2F')}/{database}"

    def start(self) -> None:
        self.folder.mkdir(exist_ok=True)
        if not self.data.exists():
            self._make_cluster()
        self.process = subprocess.Popen(
            [
                *[_postgres_program("postgres"), "-D", str(self.data), "-k", str(self.folder)],
                *["-c", "listen_addresses=", "-c", "max_connections=200"],
                *["-c", f"fsync={'on' if self.fsync else 'off'}"],
            ],
            stdout=subprocess.DEVNULL,
            stderr=(self.folder / "log").open("wb"),
            **_as_postgres(),
        )
        _wait_until(self._is_ready, "postgres")

    def stop(self) -> None:
        # SIGINT: "fast" shutdown, which ends the connections instead of waiting for them.
        _end(self.process, signal.SIGINT)
        self.process = None

    def _make_cluster(self) -> None:
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres")
        subprocess.run(
            [_postgres_program("initdb"), "-A", "trust", "-N", "-E", "UTF8", "--locale=C.UTF-8", "-D", str(self.data)]
            + (["-U", "postgres"] if os.geteuid() == 0 else []),
            check=True,
            stdout=subprocess.DEVNULL,
            **_as_postgres(),
        )

    def _is_ready(self) -> bool:
        command = [_postgres_program("pg_isready"), "-q", "-h", str(self.folder)]
        return subprocess.run(command, check=False).returncode == 0


def create_database(server_url: str, like_url: str = "") -> str:
    """On the server of the database at `server_url`: an empty one, or a copy of one that nobody uses right now."""
    name = f"site_{secrets.token_hex(6)}"
    template = f" TEMPLATE {like_url.rpartition('/')[2]}" if like_url else ""
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}{template}".encode())
    return f"{server_url.rpartition('/')[0]}/{name}"


class Services:
    """Both servers of the scaled-out shape, in one temporary folder."""

    def __init__(self, *, fsync: bool = False) -> None:
        # /tmp, not TMPDIR: a Unix socket's path may have at most 107 bytes.
        self.folder = Path(tempfile.mkdtemp(prefix="fathom-", dir="/tmp"))
        self.folder.chmod(0o755)
        self.redis = Redis(self.folder / "redis")
        self.postgresql = PostgreSQL(self.folder / "pg", fsync=fsync)

    def __enter__(self) -> Services:
        try:
            self.redis.start()
            self.postgresql.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self.redis.stop()
        self.postgresql.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def environment(self) -> dict[str, str]:
        """Variables that put a Fathom process into the scaled-out shape on these servers."""
        return {
            "DATABASE_URL": self.postgresql.url,
            "REDIS_URL": self.redis.url,
            "FATHOM_SECRET_KEY": "test-" + "s" * 40,
            "FATHOM_HANDOFF_KEYS": "test:" + "h" * 40,
        }


def _find(program: str, package: str) -> str:
    path = shutil.which(program) or shutil.which(program, path="/usr/sbin:/usr/local/sbin")
    if path is None:
        raise MissingTool(f"{program} is missing; install it with: apt-get install {package}")
    return path


def _postgres_program(name: str) -> str:
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
    path = shutil.which(name, path=":".join(map(str, reversed(folders)))) or shutil.which(name)
    if path is None:
        raise MissingTool(f"{name} is missing; install it with: apt-get install postgresql")
    return path


def _as_postgres() -> dict[str, Any]:
    if os.geteuid() != 0:
        return {}
    account = pwd.getpwnam("postgres")
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


def _wait_until(is_ready: Callable[[], bool], name: str) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while not is_ready():
        if time.monotonic() > deadline:
            raise RuntimeError(f"{name} did not start within {START_TIMEOUT_S:.0f} s")
        time.sleep(0.02)


def _end(process: subprocess.Popen[bytes] | None, signal_number: int = signal.SIGTERM) -> None:
    if process is None or process.poll() is not None:
        return
    process.send_signal(signal_number)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
