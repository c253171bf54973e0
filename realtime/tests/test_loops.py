"""What a node lives by fails: it goes on for everybody else, it is begun again, and load balancers are told."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from channels.db import database_sync_to_async
from django.test import AsyncClient

from contest.models import Contest, User
from contest.services import registration
from realtime import metrics
from realtime.clock import now_ms
from realtime.log import layer_hints
from realtime.log.append import reset_epochs
from realtime.log.reading import read_heads
from realtime.log.topics import RIGHTS
from realtime.node import loops, people
from realtime.node.node import Node
from realtime.tests.clients import PATIENCE_S, Client, Sessions, eventually

PATH = "/ws/contests/cup/announcements"


async def enter(sessions: Sessions, user: User) -> Client:
    return await Client(PATH, await sessions.key_of(user)).live()


async def ready() -> tuple[int, bytes]:
    answer = await AsyncClient().get("/readyz")
    return answer.status_code, answer.content


async def test_a_loop_that_fails_is_begun_again_and_the_node_is_not_ready_until_it_has_run_for_a_while(
    live: Node, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(loops, "RESTART_S", 0.05)
    monkeypatch.setattr(loops, "STEADY_S", 0.5)
    assert await ready() == (200, b"ready\n")
    begun = 0

    async def work() -> None:
        nonlocal begun
        begun += 1
        if begun == 1:
            raise ZeroDivisionError
        if begun > 2:
            await asyncio.Event().wait()

    failures = metrics.loop_failures.labels("made-up")._value
    live.loops.start("made-up", work)
    await eventually(lambda: begun == 3)
    assert failures.get() == 2, "it must not end either"
    assert metrics.loops_failed._value.get() == 1
    assert "ZeroDivisionError" in caplog.text
    caplog.clear()
    assert await ready() == (503, b"failed on this node: made-up\n")
    assert not caplog.records, "a load balancer asks every few seconds"
    await eventually(lambda: not live.loops.failed)
    assert await ready() == (200, b"ready\n")
    assert metrics.loops_failed._value.get() == 0


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Named before `live`: the loops are to begin with it."""
    monkeypatch.setattr(loops, "RESTART_S", 0.05)
    monkeypatch.setattr(people, "SESSIONS_PERIOD_S", 0.05)


async def test_the_loop_of_the_rights_is_begun_again_and_hears_once(
    impatient: None,
    live: Node,
    sessions: Sessions,
    contest: Contest,
    alice: User,
    grace: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hers = await enter(sessions, alice)
    (consumer,) = live.consumers.values()
    checks = 0

    def fail_once() -> bool:
        nonlocal checks
        checks += 1
        if checks == 1:
            raise ZeroDivisionError
        return False

    monkeypatch.setattr(consumer, "has_expired", fail_once)
    await eventually(lambda: live.loops.failed == ("rights",))
    await eventually(lambda: checks >= 3)
    assert len(live.hub.feeds[RIGHTS].listeners) == 1
    await database_sync_to_async(registration.ban)(contest, alice, grace)
    assert await hers.until_closed() == 4003


async def test_what_is_due_for_one_connection_and_fails_stops_nobodys_heartbeat(
    live: Node, sessions: Sessions, contest: Contest, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    hers, his = await enter(sessions, alice), await enter(sessions, bob)
    failing, other = live.consumers

    def fail(*_: object) -> None:
        failed.append(1)
        raise ZeroDivisionError

    failed: list[int] = []
    called: list[int] = []
    live.sweep.call_later(0, fail)
    live.sweep.call_later(0, lambda: called.append(1))
    live.sweep._look_at_queues(now_ms() + 1)
    assert (failed, called) == ([1], [1])

    monkeypatch.setattr(live.sweep, "slow_ms", 0.0)
    monkeypatch.setattr(type(failing), "close", lambda self, code: fail() if self is failing else called.append(code))
    live.sweep._look_at_queues(now_ms() + 1)
    assert (failed, called) == ([1, 1], [1, 4100]), "both are slow by this measure, and the first one cannot be closed"
    monkeypatch.undo()

    failing.heard_ms = other.heard_ms = failing.told_ms = other.told_ms = now_ms() - 35_000.0
    monkeypatch.setattr(live, "serve", lambda connection: fail() if connection is failing else None)
    for slot in range(len(live.sweep._slices)):
        live.sweep._look_at_slice(slot, now_ms())
    assert len(failed) == 3
    for client in (hers, his):
        assert await client.receive() == "ping"


async def test_a_reader_that_cannot_start_again_comes_back_and_the_others_get_their_snapshot(
    live: Node, sessions: Sessions, contest: Contest, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    hers, his = await enter(sessions, alice), await enter(sessions, bob)
    failing = next(iter(live.consumers.values()))

    def fail() -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(failing, "resync", fail)
    await database_sync_to_async(reset_epochs)()
    await his.until("snapshot")
    assert await hers.until_closed() == 4111
    assert not live.loops.failed


async def test_one_listener_that_fails_takes_the_news_from_no_other(
    live: Node, sessions: Sessions, contest: Contest, alice: User, grace: User
) -> None:
    hers = await enter(sessions, alice)
    await eventually(lambda: RIGHTS in live.hub.feeds)

    def fail(entries: Any) -> None:
        raise ZeroDivisionError

    live.hub.listen(RIGHTS, (await database_sync_to_async(read_heads)([RIGHTS]))[RIGHTS], fail)
    live.hub.feeds[RIGHTS].listeners.reverse()
    await database_sync_to_async(registration.ban)(contest, alice, grace)
    assert await hers.until_closed() == 4003


class LostRedis:
    """A channel layer that Redis has left; not even forgetting its subscription works."""

    def __init__(self) -> None:
        self.asked = 0
        self.flushed = 0

    async def new_channel(self) -> str:
        self.asked += 1
        raise ConnectionRefusedError

    async def flush(self) -> None:
        self.flushed += 1
        raise ConnectionRefusedError


async def test_hints_are_asked_for_again_though_the_lost_subscription_cannot_be_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    layer = LostRedis()
    monkeypatch.setattr(layer_hints, "configured_layer", lambda: layer)
    monkeypatch.setattr(layer_hints, "RETRY_MAX_S", 0.01)
    receiving = asyncio.create_task(layer_hints.receive("n1", lambda topics: None, lambda: None, lambda word: None))
    await eventually(lambda: layer.asked >= 3 or receiving.done(), PATIENCE_S)
    assert not receiving.done()
    assert layer.flushed >= 2
    receiving.cancel()
