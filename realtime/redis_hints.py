"""Hints between processes by Redis: one message for a batch of topics, one subscription for a process."""

from __future__ import annotations

import asyncio
import json
import logging
import random
from collections.abc import Callable

import redis
import redis.asyncio

logger = logging.getLogger(__name__)

CHANNEL = "fathom:hints"
SEND_TIMEOUT_S = 1.0
RECONNECT_MAX_S = 2.0


def carrier(url: str, sender: str) -> Callable[[frozenset[str]], None]:
    """What publishes a batch of topics, marked with `sender` so that this process ignores its own."""
    client = redis.Redis.from_url(
        url, socket_timeout=SEND_TIMEOUT_S, socket_connect_timeout=SEND_TIMEOUT_S, retry=None, retry_on_timeout=False
    )

    def carry(topics: frozenset[str]) -> None:
        client.publish(CHANNEL, json.dumps({"from": sender, "topics": sorted(topics)}))

    return carry


async def receive(
    url: str, own: str, on_topics: Callable[[list[str]], object], on_connected: Callable[[], None]
) -> None:
    """Hear the others' hints for ever. After every (re)connection `on_connected` looks for what was missed."""
    wait_s = 0.1
    while True:
        try:
            async with (
                redis.asyncio.Redis.from_url(url, socket_timeout=None, socket_connect_timeout=5) as client,
                client.pubsub(ignore_subscribe_messages=True) as subscription,
            ):
                await subscription.subscribe(CHANNEL)
                wait_s = 0.1
                on_connected()
                async for message in subscription.listen():
                    _hear(message["data"], own, on_topics)
        except (OSError, redis.RedisError) as error:
            logger.warning("no hints from other nodes, the tail delivers instead: %s", error)
        await asyncio.sleep(wait_s * random.uniform(0.5, 1.5))  # noqa: S311 — spreads reconnects, hides nothing
        wait_s = min(wait_s * 2, RECONNECT_MAX_S)


def _hear(data: bytes | str, own: str, on_topics: Callable[[list[str]], object]) -> None:
    """A hint may be lost, so one that cannot be read is."""
    try:
        hint = json.loads(data)
        if hint["from"] != own:
            on_topics([str(topic) for topic in hint["topics"]])
    except (ValueError, KeyError, TypeError):
        logger.warning("a hint could not be read")
