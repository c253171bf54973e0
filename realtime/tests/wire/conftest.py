"""A real `manage.py serve`, a second process that writes to its database, and raw WebSocket clients."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from realtime.tests.wire.sockets import Door, leave_none_open
from realtime.tests.wire.stage import BEAT_MS, Stage
from tools.services import Redis, Services
from tools.site_process import SiteProcess

HASTY = {
    "FATHOM_HEARTBEAT_MS": "500",
    "FATHOM_IDLE_KILL_MS": "1500",
    "FATHOM_PROBE_MS": "300",
    "FATHOM_SILENCE_MS": "2000",
    "FATHOM_HANDSHAKE_MS": "10000",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def own_services() -> Iterator[Services | None]:
    """Servers of these tests alone, which stop them; None in the embedded shape."""
    if os.environ.get("FATHOM_TEST_SHAPE") != "scaled":
        yield None
        return
    with Services() as services:
        yield services


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, own_services: Services | None) -> Iterator[SiteProcess]:
    """With the default windows, but a hello is awaited for 2 s only, and nodes beat four times as often."""
    environment = {"FATHOM_JUDGE_SLOTS": "0", "FATHOM_HANDSHAKE_MS": "2000", "FATHOM_TEST_SHARED_DATA": "1"}
    environment["FATHOM_TEST_BEAT_MS"] = f"{BEAT_MS}"
    if own_services is not None:
        environment |= own_services.environment()
    process = SiteProcess(Path(tmp_path_factory.mktemp("site")), environment)
    process.manage("migrate", "--verbosity", "0")
    process.start()
    yield process
    process.kill()


@pytest.fixture
def redis(own_services: Services | None) -> Redis:
    """The site's Redis, for tests that stop it. Only in the scaled-out shape."""
    assert own_services is not None, "mark the test with pytest.mark.scaled"
    return own_services.redis


@pytest.fixture(scope="session")
def stage(site: SiteProcess) -> Iterator[Stage]:
    process = Stage(site.environment)
    yield process
    process.close()


@pytest.fixture(scope="session")
def door(site: SiteProcess, stage: Stage) -> Door:
    """The way into the site for its people."""
    return Door(site.port, stage("people"))


@pytest.fixture(scope="session")
def hasty_door(site: SiteProcess, door: Door) -> Iterator[Door]:
    """A second node on the same data, with short windows."""
    process = SiteProcess(site.data_dir, {**site.environment, **HASTY, "FATHOM_PORT": ""})
    process.environment["FATHOM_PORT"] = str(process.port)
    process.start()
    yield Door(process.port, door.sessions)
    process.kill()


@pytest.fixture
def strict_site(site: SiteProcess) -> Iterator[SiteProcess]:
    """One more node on the same data: whoever takes nothing in for 2 s is let go."""
    process = SiteProcess(site.data_dir, {**site.environment, "FATHOM_SLOW_MS": "2000", "FATHOM_PORT": ""})
    process.environment["FATHOM_PORT"] = str(process.port)
    process.start()
    yield process
    process.kill()


@pytest.fixture(autouse=True)
def no_traceback(site: SiteProcess) -> Iterator[None]:
    """Nothing that a client does leaves a traceback in the server's log."""
    before = len(site.log)
    yield
    lines = site.log[before:]
    found = next((number for number, line in enumerate(lines) if "Traceback" in line), None)
    assert found is None, "\n".join(lines[max(0, found - 3) : found + 40])


@pytest.fixture(autouse=True)
async def sockets_are_closed() -> AsyncIterator[None]:
    yield
    await leave_none_open()
