"""A node that goes has its connections leave one after the other, and nobody stays."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.models import Contest, User
from realtime.node import node as nodes
from realtime.node.node import Node
from realtime.tests.clients import Client, Sessions, eventually
from realtime.wire.draining import answer_ms, leave_times_ms

LONG_S = 60.0


# --- The spread -----------------------------------------------------------------------------------


def test_few_leave_at_once_and_many_at_five_hundred_a_second() -> None:
    assert leave_times_ms(0, 5000) == []
    assert leave_times_ms(5, 5000) == [0, 2, 4, 6, 8]
    assert leave_times_ms(1000, 5000)[-1] == 1998


def test_more_than_fit_leave_faster() -> None:
    assert leave_times_ms(10_000, 5000)[-1] < 2500


@given(st.integers(0, 3000), st.floats(1, 60_000), st.integers(1, 5000))
def test_the_spread_is_even_in_order_and_over_in_time(count: int, within_ms: float, a_second: int) -> None:
    times = leave_times_ms(count, within_ms, a_second)
    assert len(times) == count
    assert times == sorted(times)
    steps = [late - early for early, late in pairwise(times)]
    assert max(steps, default=0) - min(steps, default=0) <= 1
    assert max(steps, default=0) <= 1000 / a_second + 1
    assert max(times, default=0) + answer_ms(within_ms) <= within_ms, "who does not answer is closed before the end"


# --- A node ---------------------------------------------------------------------------------------


async def test_each_is_asked_to_leave_and_who_leaves_is_let_go_at_once(
    live: Node, sessions: Sessions, contest: Contest, alice: User
) -> None:
    key = await sessions.key_of(alice)
    clients = [await Client("/ws/contests/cup/announcements", key, client=f"d-{number}").live() for number in range(3)]
    assert not nodes.is_draining()
    draining = asyncio.create_task(live.drain(LONG_S))
    asked = [(await client.until("drain"))["leave_in_ms"] for client in clients]
    assert asked == [0, 2, 4]
    assert nodes.is_draining()
    assert not draining.done(), "nobody has left yet"
    for client in clients:
        await client.send({"type": "leave"})
        assert await client.until_closed() == 4112
    async with asyncio.timeout(0.5):
        await draining
    assert not live.consumers


async def test_who_does_not_leave_is_closed_and_holds_nobody_for_long(
    live: Node, sessions: Sessions, contest: Contest, alice: User
) -> None:
    client = await Client("/ws/contests/cup/announcements", await sessions.key_of(alice)).live()
    draining = asyncio.create_task(live.drain(0.4))
    await client.until("drain")
    began_s = live.loop.time()
    assert await client.until_closed() == 4112
    assert live.loop.time() - began_s >= 0.09, "it had its time to answer"
    async with asyncio.timeout(0.5):
        await draining


async def test_until_it_leaves_a_connection_is_served_as_always(
    live: Node, sessions: Sessions, contest: Contest, alice: User
) -> None:
    client = await Client("/ws/contests/cup/selftest", await sessions.key_of(alice)).live()
    draining = asyncio.create_task(live.drain(LONG_S))
    await client.until("drain")
    assert (await client.command(1, "cancel", {}))["type"] == "reply"
    await client.send({"type": "leave"})
    assert await client.until_closed() == 4112
    await draining


async def test_newcomers_and_those_who_are_not_welcomed_yet_are_sent_elsewhere(
    live: Node, sessions: Sessions, contest: Contest, alice: User
) -> None:
    key = await sessions.key_of(alice)
    early, settled = Client("/ws/contests/cup/timer", key), Client("/ws/contests/cup/announcements", key)
    await settled.live()
    await early.connect()
    await eventually(lambda: len(live.consumers) == 2)
    draining = asyncio.create_task(live.drain(LONG_S))
    await settled.until("drain")
    late = Client("/ws/contests/cup/records", key)
    await late.connect()
    for client in (early, late):
        assert await client.until_closed() == 4112
        told = client.received[-1]
        assert (told["type"], told["code"], told["retry_after_ms"] > 0) == ("retry", "draining", True)
    await settled.send({"type": "leave"})
    await settled.until_closed()
    await draining


async def test_a_node_without_connections_is_drained_at_once(live: Node) -> None:
    async with asyncio.timeout(0.5):
        await live.drain(LONG_S)


@pytest.mark.parametrize("count", [1, 2])
async def test_who_goes_by_itself_is_not_waited_for(
    live: Node, sessions: Sessions, contest: Contest, alice: User, count: int
) -> None:
    key = await sessions.key_of(alice)
    clients = [await Client("/ws/contests/cup/timer", key, client=f"d-{number}").live() for number in range(count)]
    draining = asyncio.create_task(live.drain(LONG_S))
    for client in clients:
        await client.until("drain")
        await client.leave()
    async with asyncio.timeout(0.5):
        await draining
