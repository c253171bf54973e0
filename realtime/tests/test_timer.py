"""The timer's stream: settled by the database's clock, durable before it is answered, and fenced."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client as Browser
from django.utils import timezone

from contest.models import Contest, User
from realtime.models import TimerAccount, TimerSession
from realtime.node.node import Node
from realtime.tests.clients import PATIENCE_S, Client, Sessions
from realtime.tests.clocks import FakeClock
from realtime.timer import clock as timer_clock
from realtime.timer import rows as timer_rows
from realtime.timer.clock import Clock
from realtime.timer.settlement import Pending, Result

PATH = "/ws/contests/cup/timer"


async def enter(sessions: Sessions, user: User, client: str = "document-1") -> Client:
    return await Client(PATH, await sessions.key_of(user), client=client).live()


async def report(client: Client, client_seq: int, foreground_ms: int, foreground: bool = True) -> Any:
    data = {"foreground": foreground, "foreground_ms": foreground_ms}
    reply = await client.command(client_seq, "report", data)
    assert reply["ok"], reply
    return reply["data"]["accumulated_ms"]


async def test_time_between_two_reports_counts(
    live: Node, sessions: Sessions, contest: Contest, alice: User, clock: FakeClock
) -> None:
    client = await enter(sessions, alice)
    assert client.received[1]["data"]["accumulated_ms"] == 0
    assert await report(client, 1, 0) == 0
    clock.forward(10_000)
    assert await report(client, 2, 10_000) == 10_000
    assert client.received[-1]["data"]["counting"], "the page may show it going on"
    assert await report(client, 2, 10_000) == 10_000, "a repetition changes nothing"
    clock.forward(40_000)
    assert await report(client, 3, 50_000) == 10_000, "more than a lease apart: not counted, whatever it says"
    account = await TimerAccount.objects.aget()
    assert account.accumulated_ms == 10_000


async def test_two_tabs_count_once_and_tell_each_other(
    live: Node, sessions: Sessions, contest: Contest, alice: User, clock: FakeClock
) -> None:
    tabs = [await enter(sessions, alice, f"document-{number}") for number in range(2)]
    for tab in tabs:
        await report(tab, 1, 0)
    clock.forward(10_000)
    assert await report(tabs[0], 2, 10_000) == 10_000
    told = await tabs[1].until("timer")
    while told["accumulated_ms"] == 0:
        told = await tabs[1].until("timer")
    assert (told["accumulated_ms"], told["counting"]) == (10_000, True)
    assert await report(tabs[1], 2, 10_000) == 10_000


async def test_nothing_counts_after_the_end_and_extra_time_moves_it(
    live: Node, sessions: Sessions, contest: Contest, alice: User, bob: User, clock: FakeClock
) -> None:
    in_5_s = timezone.now() + timedelta(seconds=5)
    await Contest.objects.aupdate(ends_at=in_5_s)
    await contest.participations.filter(user=bob).aupdate(extra_time_s=60)
    clients = [await enter(sessions, user) for user in (alice, bob)]
    for client in clients:
        await report(client, 1, 0)
    clock.forward(20_000)
    hers, his = [await report(client, 2, 20_000) for client in clients]
    assert 4_000 <= hers <= 5_100
    assert his == 20_000


async def test_an_older_connection_of_the_same_document_cannot_report_any_more(
    live: Node, sessions: Sessions, contest: Contest, alice: User, clock: FakeClock
) -> None:
    client = await enter(sessions, alice)
    await report(client, 1, 0)
    # Another node takes the stream over: all that it does here is to raise the epoch.
    await TimerSession.objects.aupdate(session_epoch=2)
    clock.forward(10_000)
    await client.send(
        {"type": "command", "client_seq": 2, "name": "report", "data": {"foreground": True, "foreground_ms": 10_000}}
    )
    assert await client.until_closed() == 4103
    assert (await TimerAccount.objects.aget()).accumulated_ms == 0
    assert (await TimerSession.objects.aget()).client_seq == 1


async def test_the_fence_of_one_does_not_touch_others_of_the_batch(
    live: Node, sessions: Sessions, contest: Contest, alice: User, bob: User, clock: FakeClock
) -> None:
    hers, his = [await enter(sessions, user, f"of-{user.username}") for user in (alice, bob)]
    for client in (hers, his):
        await report(client, 1, 0)
    await TimerSession.objects.filter(client="of-alice").aupdate(session_epoch=9)
    clock.forward(10_000)
    fenced = {"foreground": True, "foreground_ms": 10_000}
    await hers.send({"type": "command", "client_seq": 2, "name": "report", "data": fenced})
    assert await report(his, 2, 10_000) == 10_000
    assert await hers.until_closed() == 4103


@pytest.mark.slow
async def test_a_database_that_is_away_delays_the_reply_and_costs_nothing(
    live: Node, sessions: Sessions, contest: Contest, alice: User, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = await enter(sessions, alice)
    await report(client, 1, 0)
    clock.forward(10_000)
    lock, refused = timer_rows.lock_accounts, asyncio.Event()
    loop = asyncio.get_running_loop()

    def away(*_: object) -> None:
        loop.call_soon_threadsafe(refused.set)
        raise OperationalError("the server is not there")

    monkeypatch.setattr(timer_rows, "lock_accounts", away)
    data = {"foreground": True, "foreground_ms": 10_000}
    await client.send({"type": "command", "client_seq": 2, "name": "report", "data": data})
    await asyncio.wait_for(refused.wait(), 5)
    clock.forward(1_000)
    await client.send("ping")
    assert await client.receive() == "pong"
    monkeypatch.setattr(timer_rows, "lock_accounts", lock)
    reply = await client.until("reply")
    assert reply["data"]["accumulated_ms"] == 10_000, "settled by when it arrived, not by when it was written"


async def test_a_report_sent_right_before_leaving_is_settled(
    live: Node, sessions: Sessions, contest: Contest, alice: User, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = await enter(sessions, alice)
    await report(client, 1, 0)
    clock.forward(7_000)
    arrived = asyncio.Event()
    settle = live.settlement.report

    def arrive(pending: Pending) -> Coroutine[Any, Any, Result]:
        arrived.set()
        return settle(pending)

    monkeypatch.setattr(live.settlement, "report", arrive)
    data = {"foreground": False, "foreground_ms": 7_000}
    await client.send({"type": "command", "client_seq": 2, "name": "report", "data": data})
    await client.leave()
    await asyncio.wait_for(arrived.wait(), PATIENCE_S)
    await live.settlement.drain()
    assert (await TimerAccount.objects.aget()).accumulated_ms == 7_000


async def test_staff_have_no_timer(live: Node, sessions: Sessions, contest: Contest, grace: User) -> None:
    client = Client(PATH, await sessions.key_of(grace))
    await client.connect()
    await client.send({"type": "hello", "protocol": 1, "client": "x"})
    assert await client.until_closed() == 4003


@pytest.mark.django_db(transaction=True)
def test_the_database_and_this_process_agree_about_the_time() -> None:
    clock = timer_clock.read_clock()
    assert abs(clock.database_ms - timezone.now().timestamp() * 1000) < 2_000
    assert timer_clock.read_clock().step_since_ms(clock) == 0
    stepped = Clock(clock.database_ms + 5_000, clock.before_ms, clock.after_ms)
    assert 4_900 < stepped.step_since_ms(clock) <= 5_000
    assert -5_000 <= clock.step_since_ms(stepped) < -4_900
    assert abs(clock.of(clock.after_ms - 250) - (clock.database_ms - 250)) <= timer_clock.SHARP_MS


def test_a_reading_of_the_clock_that_took_long_is_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    slow, sharp = Clock(50_000, 0, 20_000), Clock(50_003, 20_000, 20_003)
    readings = iter([slow, sharp])
    monkeypatch.setattr(timer_clock, "_read", lambda: next(readings))
    assert timer_clock.read_clock() == sharp


def test_own_time_as_json(db: None, contest: Contest, alice: User) -> None:
    participation = contest.participations.get(user=alice)
    TimerAccount.objects.create(participation=participation, accumulated_ms=12_345)
    browser = Browser()
    browser.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
    assert browser.get("/contests/cup/time/").json()["accumulated_ms"] == 12_345
