"""A database that hangs: reports keep the moment of their arrival, and nothing within the lease is lost."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from contest.models import Contest, User
from realtime.clock import now_ms
from realtime.models import TimerAccount
from realtime.node.node import Node
from realtime.tests.clients import Client, Sessions

PATH = "/ws/contests/cup/timer"
STALL_S = 4.0

Switch = Callable[[], None]


@pytest.fixture
def stall(request: pytest.FixtureRequest) -> Iterator[tuple[Switch, Switch]]:
    """Make the database hang, and let it go on: PostgreSQL stopped as a whole, SQLite with its one lock held."""
    if connection.vendor == "postgresql":
        yield from _stopped_postgresql(request.getfixturevalue("services").postgresql.process.pid)
    else:
        yield from _locked_sqlite()


def _stopped_postgresql(postmaster: int) -> Iterator[tuple[Switch, Switch]]:
    def send(signal_number: int) -> None:
        children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
        for pid in [postmaster, *map(int, children)]:
            os.kill(pid, signal_number)

    yield lambda: send(signal.SIGSTOP), lambda: send(signal.SIGCONT)
    send(signal.SIGCONT)


def _locked_sqlite() -> Iterator[tuple[Switch, Switch]]:
    other = sqlite3.connect(connection.settings_dict["NAME"], uri=True, isolation_level=None, check_same_thread=False)
    yield lambda: _run(other, "BEGIN IMMEDIATE"), lambda: _run(other, "ROLLBACK")
    other.close()


def _run(database: sqlite3.Connection, statement: str) -> None:
    database.execute(statement)


@pytest.mark.slow
async def test_a_stall_delays_replies_and_costs_nothing(
    live: Node, sessions: Sessions, contest: Contest, alice: User, stall: tuple[Switch, Switch]
) -> None:
    begin, end = stall
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
    begin()
    try:
        for client_seq in (2, 3):
            await asyncio.sleep(STALL_S / 3)
            last_ms = await report(client_seq)
        await client.send("ping")
        assert await client.receive() == "pong", "no reply has come, and the path is alive"
        await asyncio.sleep(STALL_S / 3)
    finally:
        end()
    replies = [await client.until("reply", timeout_s=20) for _ in range(2)]
    assert replies[0]["held_ms"] > 2 * STALL_S / 3 * 1000 - 100, "it was held while the database hung"
    counted_ms = replies[1]["data"]["accumulated_ms"]
    assert counted_ms == (await TimerAccount.objects.aget()).accumulated_ms, "durable before it is answered"
    assert last_ms - first_ms - 300 <= counted_ms <= last_ms - first_ms + 3 * 10
