"""Replay meets live: whoever comes and goes while others write knows in the end what the database knows."""

from __future__ import annotations

import asyncio
import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from channels.db import database_sync_to_async
from django.db import connection, transaction

from contest.models import Contest, Notice, User
from contest.services.notices import post_notice
from realtime.log import append as log
from realtime.log.append import append
from realtime.log.reading import prune
from realtime.log.topics import of_contest
from realtime.node.node import Node
from realtime.tests.clients import Client, Sessions
from realtime.wire import credit, frames

PATH = "/ws/contests/cup/announcements"
WRITERS = 4
NOTICES_A_WRITER = 15


async def enter(sessions: Sessions, user: User, client: str = "document-1", **hello: Any) -> Client:
    session = await sessions.key_of(user)
    return await Client(PATH, session, client=client, acknowledges=True).live(**hello)


@database_sync_to_async
def tell(contest: Contest, count: int) -> None:
    for _ in range(count):
        with transaction.atomic():
            append(of_contest(contest.pk), "told", {})


def post_some(contest: Contest, author: User, number: int) -> None:
    """One of several writers, each with a connection of its own."""
    try:
        for index in range(NOTICES_A_WRITER):
            post_notice(contest, author, title=f"{number}/{index}", body="x")
    finally:
        connection.close()


class Follower:
    """A page whose connection breaks again and again, at random moments."""

    def __init__(self, name: str, session: str, seed: int) -> None:
        self.name = name
        self.session = session
        self.chance = random.Random(seed)
        self.known: set[int] = set()
        self.told: list[int] = []
        self.cursor: dict[str, Any] | None = None
        self.snapshots = 0

    async def follow_while(self, posting: asyncio.Future[Any]) -> None:
        while not posting.done():
            await self._attach_for(self.chance.uniform(0.0, 0.25))
        await self._attach_for(0.5)

    async def _attach_for(self, some_s: float) -> None:
        client = Client(PATH, self.session, client=self.name, acknowledges=True)
        await client.live(**({} if self.cursor is None else {"cursor": self.cursor}))
        while not await client.is_quiet(some_s):
            await client.receive()
        await client.leave()
        assert not client.duplicates
        self.cursor = client.cursor
        for frame in client.received:
            if frame["type"] == "snapshot":
                self.snapshots += 1
                self.known = {notice["id"] for notice in frame["data"]["notices"]}
            elif frame["type"] == "event" and frame["name"] == "announcement.posted":
                self.known.add(frame["data"]["id"])
                self.told.append(frame["data"]["id"])


@pytest.mark.slow
async def test_replay_meets_live_without_a_gap_under_concurrent_posting(
    live: Node, sessions: Sessions, contest: Contest, alice: User, bob: User, grace: User
) -> None:
    keys = [await sessions.key_of(user) for user in (alice, bob)]
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(WRITERS) as writers:
        jobs = [loop.run_in_executor(writers, post_some, contest, grace, number) for number in range(WRITERS)]
        posting = asyncio.ensure_future(asyncio.gather(*jobs))
        followers = [Follower(f"document-{number}", keys[number % 2], number) for number in range(16)]
        await asyncio.gather(*(follower.follow_while(posting) for follower in followers))
        await posting
    posted = {pk async for pk in Notice.objects.values_list("pk", flat=True)}
    assert len(posted) == WRITERS * NOTICES_A_WRITER
    for follower in followers:
        assert follower.known == posted, "none is missing"
        assert len(follower.told) == len(set(follower.told)), "none was told twice"
        assert follower.snapshots == 1, "and all that was missed in between came as replay"


async def test_many_that_come_back_at_once_share_what_is_read_and_encoded(
    live: Node, sessions: Sessions, contest: Contest, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await enter(sessions, alice)
    await first.leave()
    await tell(contest, 30)
    encoded = 0
    encode = frames.event

    def count(*arguments: Any) -> Any:
        nonlocal encoded
        encoded += 1
        return encode(*arguments)

    monkeypatch.setattr(frames, "event", count)
    herd = [enter(sessions, alice, f"document-{number}", cursor=first.cursor) for number in range(40)]
    for client in await asyncio.gather(*herd):
        assert [event["seq"] for event in client.events()] == list(range(1, 31))
    assert encoded <= 30 * 10, "not once for each of the forty"


async def test_a_cursor_from_before_the_floor_gets_a_snapshot_and_a_younger_one_a_replay(
    live: Node, sessions: Sessions, contest: Contest, alice: User
) -> None:
    old = await enter(sessions, alice)
    await old.leave()
    await tell(contest, 3)
    young = await enter(sessions, alice)
    await young.leave()
    await tell(contest, 3)
    await database_sync_to_async(prune)(of_contest(contest.pk), keep=3)
    for cursor, kinds in (
        (old.cursor, ["welcome", "snapshot", "synced"]),
        (young.cursor, ["welcome", "event", "event", "event", "synced"]),
    ):
        client = await enter(sessions, alice, cursor=cursor)
        assert [frame["type"] for frame in client.received] == kinds
        assert client.received[0]["resumed"] is (kinds[1] == "event")


async def test_an_open_connection_that_falls_behind_the_floor_gets_a_snapshot(
    live: Node, sessions: Sessions, contest: Contest, alice: User
) -> None:
    client = await enter(sessions, alice)
    client.acknowledges = False
    await tell(contest, 300)
    while len(client.received) < credit.FRAMES:
        await client.receive()
    assert await client.is_quiet(), "its credit is used up"
    await database_sync_to_async(prune)(of_contest(contest.pk), keep=10)
    await client.acknowledge()
    snapshot = await client.until("snapshot")
    assert snapshot["cursor"]["contest"]["seq"] == 300
    await tell(contest, 1)
    await client.until_seq(301)


@pytest.mark.slow
async def test_a_new_epoch_alone_gives_open_connections_a_new_snapshot(
    live: Node, sessions: Sessions, contest: Contest, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command runs in another process, which gives no hint; the tail finds it."""
    monkeypatch.setattr(live.sweep, "_look_at_slice", lambda *_: None)
    client = await enter(sessions, alice)
    await tell(contest, 1)
    await client.until_seq(1)
    before = client.cursor["contest"]["epoch"]
    await database_sync_to_async(log.reset_epochs)()
    while client.cursor["contest"]["epoch"] == before:
        await client.until("snapshot")
    assert client.cursor["contest"]["seq"] == 1
    await tell(contest, 1)
    await client.until_seq(2)
    await client.leave()
    again = await enter(sessions, alice, cursor=client.cursor)
    assert again.received[0]["resumed"] is True


@pytest.mark.scaled
@pytest.mark.slow
async def test_what_commits_late_reaches_open_pages_without_any_hint(
    live: Node, sessions: Sessions, contest: Contest, alice: User, no_hints: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its transaction began before others that are long seen, and the tail has looked again and again meanwhile."""
    monkeypatch.setattr(live.sweep, "_look_at_slice", lambda *_: None)
    looks = asyncio.Semaphore(0)
    look = live.tail._look

    async def count_looks() -> None:
        await look()
        looks.release()

    monkeypatch.setattr(live.tail, "_look", count_looks)
    client = await enter(sessions, alice)
    key = f"{of_contest(contest.pk)}.u{alice.pk}"
    appended, commit = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def write_late() -> None:
        with transaction.atomic():
            append(of_contest(contest.pk), "late", {})
            log.write_pending(connection)
            loop.call_soon_threadsafe(appended.set)
            asyncio.run_coroutine_threadsafe(commit.wait(), loop).result(30)
        connection.close()

    late = asyncio.create_task(asyncio.to_thread(write_late))
    await appended.wait()
    for seq in (1, 2):
        await database_sync_to_async(_tell_one)(key)
        await client.until_seq(seq, "me")
        for _ in range(2):
            live.tail.look_soon()
            await looks.acquire()
    assert not client.events("late")
    commit.set()
    await late
    assert (await client.until("event", "late"))["seq"] == 1


def _tell_one(key: str) -> None:
    with transaction.atomic():
        append(key, "soon", {})
