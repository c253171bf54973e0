"""A live layer in the test's own event loop, with Channels' communicator as the browser."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from asgiref.sync import sync_to_async
from django.db import connections

from realtime import database
from realtime.fallback import commands as requests
from realtime.log import hints
from realtime.node import node
from realtime.node.node import Node
from realtime.receivers import records
from realtime.tests.clients import Sessions
from realtime.tests.clocks import FakeClock
from realtime.timer import clock as timer_clock
from realtime.wire.admission import AttemptLimit


@pytest.fixture
async def live(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Node]:
    """The node of this test's loop, stopped again with all it has opened."""
    monkeypatch.setattr(node, "_node", None)
    running = node.current_node()
    yield running
    await running.stop()
    await running.finish()
    monkeypatch.setattr(node, "_node", None)
    database.close_all()
    await sync_to_async(connections.close_all)()  # of the thread that runs sync code of tests


@pytest.fixture(autouse=True)
def fresh_request_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests come sooner after one another than any page's requests do."""
    monkeypatch.setattr(requests, "_requests", AttemptLimit(0))
    monkeypatch.setattr(requests, "_volume", AttemptLimit(requests.UNITS_A_SECOND))


@pytest.fixture(autouse=True)
def no_record_was_told_of_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the process remembers by a record's number would hold for the next test's record, which has the same."""
    monkeypatch.setattr(records, "_thinner", records._Thinner())


@pytest.fixture
def sessions() -> Sessions:
    return Sessions()


@pytest.fixture
def no_hints(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every hint is lost."""
    monkeypatch.setattr(hints, "give", lambda topic: None)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FakeClock:
    fake = FakeClock()
    monkeypatch.setattr(timer_clock, "read_clock", fake.read)
    monkeypatch.setattr("realtime.timer.own_time.read_clock", fake.read)
    monkeypatch.setattr("realtime.consumers.commands.now_ms", lambda: fake.monotonic_ms)
    return fake
