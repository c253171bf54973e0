"""A real `manage.py serve` on a free port, for tests that need the whole program."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent
START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 15.0


class SiteProcess:
    """Fathom as a child process with a data folder of its own; `stop`, `kill` and `start` may be called by tests."""

    def __init__(self, data_dir: Path, environment: Mapping[str, str] | None = None, port: int | None = None) -> None:
        self.data_dir = data_dir
        self._give_port_back: Callable[[], object] = lambda: None
        self.port = port or self._reserve()
        self.environment = {
            **os.environ,
            "FATHOM_DATA_DIR": str(data_dir),
            "FATHOM_PORT": str(self.port),
            "PYTHONUNBUFFERED": "1",
            **(environment or {}),
        }
        self.program = [sys.executable, "manage.py"]
        self.process: subprocess.Popen[str] | None = None
        self.log: list[str] = []
        self._reader: threading.Thread | None = None

    def _reserve(self) -> int:
        """A port that stays this site's until `end`, or until nobody can start it any more."""
        holder = reserved_port()
        self._give_port_back = weakref.finalize(self, holder.close)
        return port_of(holder)

    @property
    def url(self) -> str:
        return f"http://{self.environment.get('FATHOM_HOST', '127.0.0.1')}:{self.port}"

    def manage(self, *arguments: str) -> str:
        """Run one management command against the same data; its output. Raises CalledProcessError."""
        done = subprocess.run(
            [*self.program, *arguments],
            cwd=BASE_DIR,
            env=self.environment,
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout

    def start(self) -> None:
        """Start and wait for the ready line. Raises RuntimeError with the log if it does not come."""
        self.log.clear()
        ready = threading.Event()
        self.process = subprocess.Popen(
            [*self.program, "serve"],
            cwd=BASE_DIR,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, args=(self.process, ready), daemon=True)
        self._reader.start()
        if not ready.wait(START_TIMEOUT_S) or self.process.poll() is not None:
            self.kill()
            raise RuntimeError("the site did not become ready:\n" + "\n".join(self.log[-40:]))

    def _read(self, process: subprocess.Popen[str], ready: threading.Event) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self.log.append(line.rstrip("\n"))
            if line.startswith("Fathom is ready at "):
                ready.set()
        ready.set()  # it ended: let `start` look at the exit status

    def stop(self) -> int:
        """SIGTERM and the exit status. Raises TimeoutExpired if it does not end in time."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(STOP_TIMEOUT_S)

    def end(self) -> None:
        """Stop if it runs, for good; never raises for a process that is gone already."""
        if self.process is not None and self.process.poll() is None:
            try:
                self.stop()
            except subprocess.TimeoutExpired:
                self.kill()
        self._give_port_back()

    def kill(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def free_port() -> int:
    with reserved_port() as listener:
        return port_of(listener)


def reserved_port() -> socket.socket:
    """A port that nobody else is given as long as this socket lives: not before the program that it is for listens,
    and not while that is away. It may be listened to all the same by whoever names it with SO_REUSEADDR."""
    holder = socket.socket()
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    holder.bind(("127.0.0.1", 0))
    return holder


def port_of(holder: socket.socket) -> int:
    port: int = holder.getsockname()[1]
    return port
