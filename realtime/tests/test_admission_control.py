"""Admission control of a node: attempts for each address, contest and node, and a loop that lags."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from channels.testing import WebsocketCommunicator
from django.conf import settings
from hypothesis import given
from hypothesis import strategies as st

from contest.models import User
from realtime.entry.addresses import limited_address
from realtime.node.admission_control import AdmissionControl
from realtime.node.node import Node
from realtime.tests.clients import PATIENCE_S, Client, Sessions, eventually, hello
from realtime.wire.admission import RETURN_MAX_MS, RETURN_MIN_MS, AttemptLimit, LagMeter, Turns

PATH = "/ws/contests/cup/announcements"
CLASS_ROOM = 1000 * 5
"""Contestants behind one address, with all their streams."""


def limits(**changed: int) -> Any:
    return replace(settings.FATHOM.limits, **changed)


# --- The limits themselves ------------------------------------------------------------------------


def test_a_class_room_behind_one_address_comes_back_together_by_the_defaults() -> None:
    limit = AttemptLimit(settings.FATHOM.limits.address_attempts_per_s)
    assert all(limit.admits("192.0.2.1", 0.1 * number) for number in range(CLASS_ROOM))


def test_a_machine_that_goes_on_is_held_to_the_rate_and_others_are_not_concerned() -> None:
    limit = AttemptLimit(500)
    tries = [limit.admits("192.0.2.1", number / 5) for number in range(5 * 60_000)]  # 5000 a second, for a minute
    assert 34_990 <= sum(tries) <= 35_010, "ten seconds' worth, and the rate for sixty"
    assert not all(limit.admits("192.0.2.1", 60_000) for _ in range(2))
    assert limit.admits("192.0.2.2", 60_000)
    assert limit.admits("192.0.2.1", 60_010), "it gets its turn again"


def test_no_limit_and_no_address_let_everybody_in() -> None:
    assert all(AttemptLimit(0).admits("192.0.2.1", 0) for _ in range(10_000))
    assert all(AttemptLimit(1).admits(None, 0) for _ in range(100))


@given(st.integers(1, 5000), st.lists(st.integers(0, 50), max_size=200))
def test_those_turned_away_come_back_one_after_the_other(per_s: int, pauses_ms: list[int]) -> None:
    turns, now, due = Turns(per_s), 0.0, []
    for pause_ms in pauses_ms:
        now += pause_ms
        delay_ms = turns.next_in_ms(now)
        assert RETURN_MIN_MS <= delay_ms <= RETURN_MAX_MS
        due.append(now + delay_ms)
    period_ms = 1000 / per_s
    apart = [after - before for before, after in pairwise(due)]
    assert all(each >= period_ms - 1 or each < 0 for each in apart), "but for those for whom it began again"


def test_the_more_are_turned_away_the_wider_they_are_spread() -> None:
    few, many = Turns(1000), Turns(1000)
    assert [few.next_in_ms(0) for _ in range(10)][-1] < 520
    delays_ms = [many.next_in_ms(0) for _ in range(10_000)]
    assert 10_000 <= delays_ms[-1] <= 10_600


def test_one_long_stop_is_no_overload_and_a_loop_that_stays_behind_is() -> None:
    meter = LagMeter()
    meter.expect(50)
    assert meter.lag_ms(2050) == 1000, "2 s late, once"
    meter.measure(2050)
    meter.expect(2100)
    assert meter.lag_ms(4100) == 1500, "and again"
    meter.measure(4100)
    for number in range(6):
        meter.expect(4150 + 50 * number)
        meter.measure(4150 + 50 * number)
    assert meter.lag_ms(4400) < 100, "and that is over at once"


@pytest.mark.parametrize(
    ("client", "address"),
    [
        (("192.0.2.1", 5), "192.0.2.1"),
        (("2001:db8:1:2:3:4:5:6", 5), "2001:db8:1:2::/64"),
        (("::ffff:192.0.2.1", 5), "192.0.2.1"),
        (("127.0.0.1", 5), None),
        (("127.8.8.8", 5), None),
        (("::1", 5), None),
        (("::ffff:127.0.0.1", 5), None),
        (None, None),
        (("", 0), ""),
        (("testclient", 1), "testclient"),
    ],
)
def test_by_which_address_attempts_are_counted(client: Any, address: str | None) -> None:
    assert limited_address({"client": client}) == address


# --- At the door ----------------------------------------------------------------------------------


class AddressClient(Client):
    """A client that comes from an address."""

    def __init__(self, address: str, path: str, session_key: str) -> None:
        super().__init__(path, session_key)
        communicator: WebsocketCommunicator = self._socket
        communicator.scope["client"] = (address, 50_000)

    async def turned_away(self) -> tuple[int, Any]:
        """Close code and the frame before it."""
        await self.connect()
        await self.send(hello())
        return await self.until_closed(), self.received[-1]


async def test_one_address_too_often_is_told_when_to_come_back_and_another_is_let_in(
    live: Node, sessions: Sessions, alice: User
) -> None:
    live.admission_control = AdmissionControl(limits(address_attempts_per_s=1))
    key = await sessions.key_of(alice)
    for _ in range(10):
        await AddressClient("192.0.2.1", PATH, key).live()
    code, told = await AddressClient("192.0.2.1", PATH, key).turned_away()
    assert (code, told["type"], told["code"]) == (4129, "retry", "too-many")
    assert told["retry_after_ms"] >= RETURN_MIN_MS
    _, next_told = await AddressClient("192.0.2.1", PATH, key).turned_away()
    assert next_told["retry_after_ms"] > told["retry_after_ms"], "each at a time of its own"
    await AddressClient("192.0.2.2", PATH, key).live()


async def test_a_contest_too_often_is_told_so_and_strangers_do_not_count(
    live: Node, sessions: Sessions, alice: User
) -> None:
    live.admission_control = AdmissionControl(limits(contest_attempts_per_s=1))
    for _ in range(20):
        stranger = Client(PATH)
        await stranger.connect()
        assert await stranger.until_closed() == 4002
    for number in range(10):
        await Client(PATH, await sessions.key_of(alice), client=f"document-{number}").live()
    code, told = await AddressClient("192.0.2.1", PATH, await sessions.key_of(alice)).turned_away()
    assert (code, told["code"]) == (4129, "too-many")


async def test_a_node_too_often_is_told_so(live: Node, sessions: Sessions, alice: User) -> None:
    live.admission_control = AdmissionControl(limits(node_attempts_per_s=1))
    for number in range(10):
        await Client(PATH, await sessions.key_of(alice), client=f"document-{number}").live()
    code, told = await AddressClient("192.0.2.1", PATH, await sessions.key_of(alice)).turned_away()
    assert (code, told["code"]) == (4129, "too-many")


async def test_while_the_loop_lags_newcomers_are_spread_and_whoever_is_in_is_served(
    live: Node, sessions: Sessions, alice: User, bob: User
) -> None:
    inside = await Client(PATH, await sessions.key_of(alice)).live()
    live.admission_control = AdmissionControl(limits(loop_lag_ms=100))
    measuring = asyncio.create_task(live.admission_control.run())
    key = await sessions.key_of(bob)
    try:
        told = []
        for _ in range(3):
            for _ in range(3):
                await asyncio.sleep(0)
                time.sleep(0.15)  # noqa: ASYNC251 — the fault: something keeps the loop busy
            newcomer = AddressClient("192.0.2.1", PATH, key)
            code, frame = await newcomer.turned_away()
            assert (code, frame["type"], frame["code"]) == (4113, "retry", "overloaded")
            told.append(frame["retry_after_ms"])
        assert min(told) >= RETURN_MIN_MS
        await inside.send("ping")
        assert await inside.receive(PATIENCE_S) == "pong"
        await eventually(lambda: live.admission_control.refusal(None) is None)
        await AddressClient("192.0.2.1", PATH, key).live()
    finally:
        measuring.cancel()
