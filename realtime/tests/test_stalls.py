"""A database that hangs: reports keep the moment of their arrival, and nothing within the lease is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

import pytest
from django.db import connection

from contest.models import Contest, User
from realtime.clock import now_ms
from realtime.models import TimerAccount
from realtime.node.node import Node
from realtime.tests.clients import Client, Sessions
from realtime.tests.hanging import locked_postgresql, locked_sqlite

PATH = "/ws/contests/cup/timer"
STALL_S = 4.0

Hang = Callable[[], AbstractContextManager[None]]


@pytest.fixture
def hang() -> Hang:
    """Makes the database hang for whoever settles: on PostgreSQL a table is locked, on SQLite everything."""
    if connection.vendor == "postgresql":
        return partial(locked_postgresql, connection.settings_dict, TimerAccount._meta.db_table)
    return partial(locked_sqlite, connection.settings_dict["NAME"])


@pytest.mark.slow
async def test_a_stall_delays_replies_and_costs_nothing(
    live: Node, sessions: Sessions, contest: Contest, alice: User, hang: Hang
) -> None:
    client = await Client(PATH, await sessions.key_of(alice)).live()
    began_ms = now_ms()

    async def report(client_seq: int) -> float:
        """Send a report; how long this page has been in front by then."""
        shown_ms = now_ms() - began_ms
        data: dict[str, Any] = {"foreground": True, "foreground_ms": round(shown_ms)}
        await client.send({"type": "command", "client_seq": client_seq, "name": "report", "data": data})
        return shown_ms

    first_ms = await report(1)
    assert (await client.until("reply"))["held_ms"] < 2_000
    with hang():
        for client_seq in (2, 3):
            await asyncio.sleep(STALL_S / 3)
            last_ms = await report(client_seq)
        await client.send("ping")
        assert await client.receive() == "pong", "no reply has come, and the path is alive"
        await asyncio.sleep(STALL_S / 3)
    replies = [await client.until("reply", timeout_s=20) for _ in range(2)]
    assert replies[0]["held_ms"] > 2 * STALL_S / 3 * 1000 - 100, "it was held while the database hung"
    counted_ms = replies[1]["data"]["accumulated_ms"]
    assert counted_ms == (await TimerAccount.objects.aget()).accumulated_ms, "durable before it is answered"
    assert last_ms - first_ms - 300 <= counted_ms <= last_ms - first_ms + 3 * 10
