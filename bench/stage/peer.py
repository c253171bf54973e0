"""A peer as a process on the core that the site has when it is its turn."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from bench.peers.broadcast import READY
from bench.stage.machine import SERVER_CORE, on_core
from tools.site_process import BASE_DIR, free_port


@dataclass(frozen=True)
class Peer:
    port: int
    pid: int


@contextmanager
def peer(module: str, *arguments: str) -> Generator[Peer, None, None]:
    """Run `bench.peers.<module>`. Raises RuntimeError if it does not come up."""
    port = free_port()
    command = [sys.executable, "-m", f"bench.peers.{module}", str(port), *arguments]
    with on_core(SERVER_CORE):
        process = subprocess.Popen(command, cwd=BASE_DIR, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        if process.stdout.readline().strip() != READY:
            raise RuntimeError(f"the peer {module} did not start")
        yield Peer(port, process.pid)
    finally:
        process.kill()
        process.wait()
        process.stdout.close() if process.stdout else None
