"""Between processes go hints, one message for all that is new; nothing goes for each connection."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from redis import Redis as Connection

from realtime.tests.wire.sockets import Door
from realtime.tests.wire.stage import Stage
from tools.services import Redis

pytestmark = pytest.mark.scaled

CONNECTIONS = 30


def published(redis: Any) -> int:
    return int(redis.info("commandstats").get("cmdstat_publish", {"calls": 0})["calls"])


async def test_redis_knows_the_processes_and_not_their_connections(door: Door, stage: Stage, redis: Redis) -> None:
    own: Any = Connection(unix_socket_path=str(redis.socket))
    first = await door.live("bob")
    channels, clients = set(own.pubsub_channels()), len(own.client_list())
    assert channels, "the process has subscribed"
    opened = await asyncio.gather(*(door.live("alice", client=f"document-{n}") for n in range(CONNECTIONS)))
    assert set(own.pubsub_channels()) == channels
    assert len(own.client_list()) <= clients + 2, "what carries hints may have connected meanwhile"

    before = published(own)
    notice = await asyncio.to_thread(stage, "post", "to all")
    for socket in (first, *opened):
        assert (await socket.until("event", "announcement.posted"))["data"]["id"] == notice
    assert 1 <= published(own) - before < 10, "a hint of the post, one of each bunch of receipts"
    own.close()
