"""Daphne, which `runserver` uses, serves the same contract; it tells nobody when it starts."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from realtime.tests.wire.sockets import Door
from realtime.tests.wire.stage import Stage
from tools.site_process import BASE_DIR, SiteProcess, free_port


@pytest.fixture
def daphne(site: SiteProcess, door: Door, tmp_path: Path) -> Iterator[Door]:
    port = free_port()
    command = [sys.executable, "-m", "daphne", "-b", "127.0.0.1", "-p", str(port), "config.asgi:application"]
    environment = {**site.environment, "DJANGO_SETTINGS_MODULE": "config.settings"}
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(command, cwd=BASE_DIR, env=environment, stdout=log, stderr=log)
        try:
            _until_it_answers(port)
            yield Door(port, door.sessions)
        finally:
            process.kill()
            process.wait()
    assert "Traceback" not in (tmp_path / "log").read_text()


def _until_it_answers(port: int) -> None:
    deadline = time.monotonic() + 20
    while True:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=2).close()
        except (urllib.error.URLError, ConnectionError):
            assert time.monotonic() < deadline, "Daphne did not start"
            time.sleep(0.05)
        else:
            return


async def test_daphne_serves_the_same_contract(daphne: Door, stage: Stage) -> None:
    socket = await daphne.live("alice")
    notice = await asyncio.to_thread(stage, "post", "by Daphne")
    assert (await socket.until("event", "announcement.posted"))["data"]["id"] == notice
    await socket.send("ping")
    assert await socket.receive() == "pong"
    ack = {"notices": [{"id": notice, "version": 1}]}
    await socket.send({"type": "command", "client_seq": 1, "name": "ack", "data": ack})
    assert (await socket.until("reply"))["ok"] is True
    await socket.send("nonsense")
    assert await socket.until_closed() == 4006

    outsider = await daphne.open("mallory")
    await outsider.send({"type": "hello", "protocol": 1, "client": "x"})
    assert await outsider.until_closed() == 4003
