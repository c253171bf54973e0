"""The hub, catching up, credit and the tail, over connections whose clients read or do not."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from channels.db import database_sync_to_async
from django.db import OperationalError

from contest.models import Contest, User
from realtime import metrics
from realtime.hub import catch_up, hub
from realtime.log import append as log
from realtime.log import topics
from realtime.log.reading import read_heads, read_pages
from realtime.log.topics import of_contest
from realtime.node import sweep
from realtime.node.node import Node
from realtime.tests.clients import Client, Sessions, eventually
from realtime.tests.telling import tell, tell_states
from realtime.wire import credit

PATH = "/ws/contests/cup/announcements"
BIG = "x" * 2000


async def enter(sessions: Sessions, user: User, client: str = "document-1", **hello: Any) -> Client:
    return await Client(PATH, await sessions.key_of(user), client=client).live(**hello)


async def until_settled(node: Node) -> None:
    """Until all that entering has woken is read and handed out.

    The hub reads one bunch after the other: once it has begun with `rights`, woken last, it has done with the rest.
    """
    await eventually(lambda: topics.RIGHTS in node.hub.feeds and not node.hub._woken)
    reads = metrics.reads._value.get()
    node.hub.wake([topics.RIGHTS])
    await eventually(lambda: metrics.reads._value.get() > reads)


async def drain(client: Client, quiet_s: float = 0.3) -> int:
    """Receive all that comes without a pause; answers how many frames."""
    count = 0
    while not await client.is_quiet(quiet_s):
        await client.receive()
        count += 1
    return count


async def test_a_reader_that_acknowledges_nothing_is_sent_a_credits_worth_and_no_more(
    live: Node, sessions: Sessions, contest: Contest, alice: User, bob: User
) -> None:
    slow, quick = await enter(sessions, alice), await enter(sessions, bob)
    await tell(contest, 400)
    received = len(slow.received) + await drain(slow)
    assert received == credit.FRAMES
    while len(quick.events()) < 400:
        await quick.receive()
        if len(quick.received) % 32 == 0:
            await quick.send({"type": "seen", "frames": len(quick.received)})

    await slow.send({"type": "seen", "frames": received})
    while len(slow.events()) < 400:
        await slow.receive()
        if len(slow.received) % 32 == 0:
            await slow.send({"type": "seen", "frames": len(slow.received)})
    for client in (slow, quick):
        assert [event["seq"] for event in client.events()] == list(range(1, 401)), "in order, once, without a gap"


async def test_credit_is_bounded_in_bytes_too(live: Node, sessions: Sessions, contest: Contest, alice: User) -> None:
    client = await enter(sessions, alice)
    await tell(contest, 20, text="x" * 60_000)
    await drain(client)
    assert 8 <= len(client.events()) <= 10


async def test_a_reader_that_is_behind_is_spared_what_was_replaced(
    live: Node, sessions: Sessions, contest: Contest, alice: User
) -> None:
    client = await enter(sessions, alice)
    await client.leave()
    await tell_states(contest, 30)
    await tell(contest)
    again = await enter(sessions, alice, cursor=client.cursor)
    assert [(event["after"], event["seq"]) for event in again.events()] == [(0, 30), (30, 31)]


async def test_no_seen_for_half_a_minute_ends_with_4100_and_others_do_not_notice(
    live: Node, sessions: Sessions, contest: Contest, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live.sweep, "slow_ms", 700)
    slow, quick = await enter(sessions, alice), await enter(sessions, bob)
    await quick.send({"type": "seen", "frames": 3})
    await slow.send("ping")
    assert await slow.receive() == "pong", "it lives, but takes nothing in"
    assert await slow.until_closed() == 4100
    await tell(contest)
    await quick.until("event")


async def test_a_burst_is_read_at_once_and_encoded_once(
    live: Node, sessions: Sessions, contest: Contest, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "MERGE_S", 0.3)
    clients = [await enter(sessions, alice, f"document-{number}") for number in range(5)]
    await until_settled(live)
    of_contest = metrics.encodes.labels("contest")
    reads, encodes = (metric._value.get() for metric in (metrics.reads, of_contest))
    await tell(contest, 10)
    for client in clients:
        for _ in range(10):
            await client.until("event")
    assert of_contest._value.get() - encodes == 10
    assert metrics.reads._value.get() - reads <= 4


@pytest.mark.parametrize("reader", [hub, catch_up])
async def test_a_read_that_fails_is_made_again_and_nothing_of_it_is_lost(
    live: Node, sessions: Sessions, contest: Contest, alice: User, monkeypatch: pytest.MonkeyPatch, reader: ModuleType
) -> None:
    client = await enter(sessions, alice)
    await until_settled(live)
    for module in (hub, catch_up):
        monkeypatch.setattr(module, "RETRY_S", 0.05)
    failures = 0

    def fail_twice(wants: Any) -> Any:
        nonlocal failures
        if failures < 2:
            failures += 1
            raise OperationalError("the database is away")
        return read_pages(wants)

    if reader is catch_up:
        await client.leave()
    monkeypatch.setattr(live.tail, "_may_have_changed", lambda: False)
    monkeypatch.setattr(reader, "read_pages", fail_twice)
    await tell(contest, 2)
    if reader is catch_up:
        client = await enter(sessions, alice, cursor=client.cursor)
    await client.until_seq(2)
    assert failures == 2


async def test_what_listens_to_a_topic_and_fails_takes_no_event_from_its_readers(
    live: Node, sessions: Sessions, contest: Contest, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live.sweep, "_look_at_slice", lambda *_: None)
    client = await enter(sessions, alice)
    await until_settled(live)

    def failing(entries: Any) -> None:
        raise ZeroDivisionError

    key = of_contest(contest.pk)
    live.hub.listen(key, (await database_sync_to_async(read_heads)([key]))[key], failing)
    await tell(contest)
    assert (await client.until("event"))["seq"] == 1


async def test_a_lost_hint_costs_time_and_nothing_else(
    live: Node, sessions: Sessions, contest: Contest, alice: User, no_hints: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live.sweep, "_look_at_slice", lambda *_: None)
    client = await enter(sessions, alice)
    await tell(contest)
    assert (await client.until("event"))["seq"] == 1, "nothing about entering is being read any more"
    catches = metrics.tail_catches._value.get()
    await tell(contest, 3)
    assert [(await client.until("event"))["seq"] for _ in range(3)] == [2, 3, 4]
    assert metrics.tail_catches._value.get() > catches, "it was the tail that found them"
    assert await client.is_quiet()


@pytest.mark.slow
async def test_the_heartbeat_finds_what_neither_hint_nor_tail_told(
    live: Node, sessions: Sessions, contest: Contest, alice: User, no_hints: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = live.sweep._look_at_slice
    monkeypatch.setattr(live.sweep, "_look_at_slice", lambda *_: None)
    monkeypatch.setattr(live.tail, "_may_have_changed", lambda: False)
    client = await enter(sessions, alice)
    await until_settled(live)
    await tell(contest)
    # A real wait: that nothing comes can only be seen by giving it time, here more than the tail's longest period.
    assert await client.is_quiet(1.2), "nothing has told it"
    for slot in range(sweep.SLICES):
        look(slot, 0.0)
    assert (await client.until("event"))["seq"] == 1


async def test_a_new_epoch_gives_open_connections_a_new_snapshot(
    live: Node, sessions: Sessions, contest: Contest, alice: User
) -> None:
    client = await enter(sessions, alice)
    await tell(contest)
    await client.until("event")
    await database_sync_to_async(log.reset_epochs)()
    await tell(contest)
    snapshot = await client.until("snapshot")
    assert snapshot["cursor"]["contest"]["epoch"] != client.received[1]["cursor"]["contest"]["epoch"]
    assert snapshot["cursor"]["contest"]["seq"] == 2
    await tell(contest)
    assert (await client.until("event"))["seq"] == 3


async def test_nothing_is_left_when_everybody_has_gone(
    live: Node, sessions: Sessions, contest: Contest, alice: User
) -> None:
    clients = [await enter(sessions, alice, f"document-{number}") for number in range(10)]
    assert len(live.consumers) == 10
    for client in clients:
        await client.leave()
    await eventually(lambda: not live.consumers)
    assert set(live.hub.feeds) == {"rights"}
    assert not any(live.sweep._slices)
    assert not live.sweep._outstanding
    assert not live.people._by_user
    assert not live.people._by_contest
    assert not live.people._by_document
