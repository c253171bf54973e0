"""A live layer in the test's own event loop, with Channels' communicator as the browser."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from realtime import database, hints, node
from realtime.node import Node
from realtime.tests.clients import Sessions


@pytest.fixture
async def live(transactional_db: None) -> AsyncIterator[Node]:
    """The node of this test's loop, stopped again with all it has opened."""
    running = node.current_node()
    yield running
    await running.stop()
    await running.finish()
    node.forget()
    database.close_all()


@pytest.fixture
def sessions() -> Sessions:
    return Sessions()


@pytest.fixture
def no_hints(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every hint is lost."""
    monkeypatch.setattr(hints, "give", lambda topic: None)
