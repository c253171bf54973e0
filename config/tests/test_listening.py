"""What hinders a start is one sentence that names the variable, and exit status 2."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from config.environment import BadEnvironment
from config.listening import bind_listeners
from config.sole_server import SoleServer


def test_a_port_in_use_is_said_and_a_free_one_is_bound() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(BadEnvironment, match=f"FATHOM_PORT {port} is in use at 127.0.0.1"):
            bind_listeners("127.0.0.1", port)
    listeners = bind_listeners("127.0.0.1", port)
    assert [listener.getsockname() for listener in listeners] == [("127.0.0.1", port)]
    for listener in listeners:
        listener.close()


@pytest.mark.parametrize("host", ["no such host", "192.0.2.1"])
def test_a_host_that_is_none_of_this_machine_is_said(host: str) -> None:
    with pytest.raises(BadEnvironment, match=f"FATHOM_HOST is {host!r}, which is no"):
        bind_listeners(host, 8000)


def test_a_second_server_on_a_data_folder_is_refused_until_the_first_has_gone(tmp_path: Path) -> None:
    first = SoleServer(tmp_path)
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        with pytest.raises(BadEnvironment, match=f"Another server is running on the data folder {tmp_path}"):
            SoleServer(tmp_path)
        first.release()
        SoleServer(tmp_path).release()  # a child that is still there does not hold the lock
    finally:
        child.communicate(b"\n")


def test_serve_ends_with_status_two_and_one_sentence(tmp_path: Path) -> None:
    sole = SoleServer(tmp_path)
    done = subprocess.run(
        [sys.executable, str(settings.BASE_DIR / "manage.py"), "serve"],
        env={**os.environ, "FATHOM_DATA_DIR": str(tmp_path), "DATABASE_URL": "", "REDIS_URL": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    sole.release()
    assert done.returncode == 2
    assert done.stderr.startswith("Another server is running on the data folder")
    assert done.stderr.count("\n") == 1
