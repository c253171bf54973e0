"""PostgreSQL goes away in the middle of a contest and comes back."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from realtime.tests.wire.sockets import Door
from realtime.tests.wire.stage import Stage
from tools.services import PostgreSQL, Services
from tools.site_process import SiteProcess

pytestmark = pytest.mark.scaled


@pytest.fixture
def postgresql() -> Iterator[PostgreSQL]:
    """One of its own: the other tests need theirs."""
    with tempfile.TemporaryDirectory(prefix="fathom-", dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        server = PostgreSQL(Path(folder) / "pg")
        server.start()
        yield server
        server.stop()


async def test_nobody_is_cut_off_and_nothing_is_lost(
    postgresql: PostgreSQL, own_services: Services, tmp_path: Path
) -> None:
    environment = {**own_services.environment(), "DATABASE_URL": postgresql.url, "FATHOM_JUDGE_SLOTS": "0"}
    site = SiteProcess(tmp_path, environment)
    site.manage("migrate", "--verbosity", "0")
    site.start()
    stage = Stage(site.environment)
    door = Door(site.port, stage("people"))
    notices, timer = await door.live("alice"), await door.live("alice", "timer")
    await timer.send(_report(1, 0))
    assert (await timer.until("reply"))["ok"]
    confirm_me = stage("post", "before")
    await notices.until("event", "announcement.posted")

    postgresql.stop()
    stage.close()
    await timer.send(_report(2, 1000))
    ack = {"notices": [{"id": confirm_me, "version": 1}]}
    await notices.send({"type": "command", "client_seq": 1, "name": "ack", "data": ack})
    newcomer = await door.open("alice")
    await newcomer.send({"type": "hello", "protocol": 1, "client": "newcomer"})
    await notices.send("ping")
    assert await notices.receive() == "pong"
    refused = await notices.until("reply", timeout_s=15)
    assert (refused["ok"], refused["error"]["code"]) == (False, "busy"), "it is said, with a delay to try again"
    assert refused["error"]["retry_after_ms"] > 0
    assert await newcomer.until_closed(15) == 4111

    postgresql.start()
    stage = Stage(site.environment)
    reply = await timer.until("reply", timeout_s=15)
    assert reply["client_seq"] == 2, "settled when the database was back, by when it had arrived"
    assert 0 < reply["data"]["accumulated_ms"] <= 1000
    await notices.send({"type": "command", "client_seq": 2, "name": "ack", "data": ack})
    assert (await notices.until("reply", timeout_s=15))["ok"]
    after = await asyncio.to_thread(stage, "post", "after")
    assert (await notices.until("event", "announcement.posted"))["data"]["id"] == after
    assert stage("confirmed", confirm_me) == 1
    stage.close()
    assert site.stop() == 0


def _report(client_seq: int, foreground_ms: int) -> dict[str, object]:
    data = {"foreground": True, "foreground_ms": foreground_ms}
    return {"type": "command", "client_seq": client_seq, "name": "report", "data": data}
