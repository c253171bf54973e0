"""nginx in front of a site, as an operator would put it there, but less patient with silence."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tools.services import MissingTool
from tools.site_process import port_of, reserved_port

STARTS_WITHIN_S = 10.0
STOPS_WITHIN_S = 10.0

CONFIGURATION = """
daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 512; }}
http {{
  log_format ended "$status $request_time $request_uri";
  access_log {folder}/access.log ended;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  map $http_upgrade $connection_upgrade {{ default upgrade; "" close; }}
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass http://127.0.0.1:{site_port};
      proxy_set_header Host $http_host;
      {upgrades}
      proxy_read_timeout {silence_s}s;
    }}
  }}
}}
"""


PASS_UPGRADES = """
      proxy_http_version 1.1;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
"""
"""Without these lines nginx speaks HTTP/1.0 to the site, knows no WebSocket, and buffers what is not to be buffered
unless the answer itself says so."""


@dataclass(frozen=True)
class Ended:
    """A WebSocket that has come to its end at the proxy."""

    path: str
    lasted_s: float


@dataclass(frozen=True)
class Nginx:
    port: int
    folder: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ended_sockets(self) -> list[Ended]:
        return [Ended(path, float(lasted)) for status, lasted, path in self._requests() if status == "101"]

    def refused_sockets(self) -> int:
        """Handshakes that were answered as if they were requests for a page."""
        return sum(path.startswith("/ws/") and status != "101" for status, _, path in self._requests())

    def _requests(self) -> list[list[str]]:
        """Status, seconds and address of each that is over."""
        return [line.split() for line in (self.folder / "access.log").read_text().splitlines()]


@contextmanager
def nginx(site_port: int, folder: Path, *, silence_s: int, upgrades: bool = True) -> Iterator[Nginx]:
    """Gives up a connection on which the site has said nothing for `silence_s`; `upgrades`: it passes WebSockets on."""
    program = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
    if program is None:
        raise MissingTool("nginx is missing; install it with: apt-get install nginx-light")
    with reserved_port() as reserved:
        port = port_of(reserved)
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / "nginx.conf"
        told = PASS_UPGRADES if upgrades else ""
        file.write_text(
            CONFIGURATION.format(folder=folder, port=port, site_port=site_port, silence_s=silence_s, upgrades=told)
        )
        process = subprocess.Popen([program, "-p", str(folder), "-c", str(file)], stderr=subprocess.DEVNULL)
        try:
            _wait_until_listening(port, process)
            yield Nginx(port, folder)
        finally:
            process.terminate()
            process.wait(STOPS_WITHIN_S)


def _wait_until_listening(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline_s = time.monotonic() + STARTS_WITHIN_S
    while True:
        with socket.socket() as visitor:
            if visitor.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert process.poll() is None and time.monotonic() < deadline_s, "nginx did not start"
        time.sleep(0.02)
