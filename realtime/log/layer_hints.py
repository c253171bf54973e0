"""Hints between processes by the channel layer: one message for a batch of topics, one subscription for a process."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable
from typing import Any

from channels.layers import get_channel_layer
from redis import RedisError

logger = logging.getLogger(__name__)

GROUP = "hints"
SEND_TIMEOUT_S = 1.0
RETRY_MAX_S = 2.0


class LayerPublisher:
    """Sends a batch of topics, marked with `sender` so that this process ignores its own.

    For one thread only, which keeps an event loop for it: a layer's connections belong to a loop.
    """

    def __init__(self, sender: str) -> None:
        self._sender = sender
        self._runner: asyncio.Runner | None = None

    def __call__(self, topics: frozenset[str]) -> None:
        """Raises OSError (a time-out, too) or RedisError."""
        if self._runner is None:
            self._runner = asyncio.Runner()
        self._runner.run(self._send({"type": "hint", "from": self._sender, "topics": sorted(topics)}))

    def close(self) -> None:
        """Close its connections. To be called in its own thread; a process that ends needs no call."""
        if self._runner is not None:
            self._runner.close()
            self._runner = None

    async def _send(self, message: dict[str, Any]) -> None:
        async with asyncio.timeout(SEND_TIMEOUT_S):
            await configured_layer().group_send(GROUP, message)


async def tell(message: dict[str, Any]) -> None:
    """Say something else to all nodes, from the loop that also receives. Raises OSError (a time-out) or RedisError."""
    async with asyncio.timeout(SEND_TIMEOUT_S):
        await configured_layer().group_send(GROUP, message | {"type": "word"})


async def receive(
    own: str,
    on_topics: Callable[[list[str]], object],
    on_subscribed: Callable[[], None],
    on_word: Callable[[dict[str, Any]], None],
) -> None:
    """Hear the others' hints and words for ever. The layer subscribes again by itself when Redis was away."""
    layer = configured_layer()
    wait_s = 0.1
    while True:
        try:
            channel = await layer.new_channel()
            await layer.group_add(GROUP, channel)
            on_subscribed()
            while True:
                _hear(await layer.receive(channel), own, on_topics, on_word)
        except (OSError, RedisError) as error:
            logger.warning("no hints from other nodes, the tail delivers instead: %s", error)
        try:
            await layer.flush()  # forgets the half-made subscription
        except (OSError, RedisError) as error:
            logger.debug("a subscription that is lost could not be forgotten either: %s", error)
        await asyncio.sleep(wait_s * random.uniform(0.5, 1.5))  # noqa: S311 — spreads reconnects, hides nothing
        wait_s = min(wait_s * 2, RETRY_MAX_S)


def configured_layer() -> Any:
    """The channel layer of the settings; Channels has no types."""
    return get_channel_layer()  # type: ignore[no-untyped-call]


def _hear(
    hint: dict[str, Any],
    own: str,
    on_topics: Callable[[list[str]], object],
    on_word: Callable[[dict[str, Any]], None],
) -> None:
    """A hint may be lost, so one that cannot be read is."""
    try:
        if hint["from"] == own:
            return
        if hint["type"] == "word":
            on_word(hint)
        else:
            on_topics([str(topic) for topic in hint["topics"]])
    except (KeyError, TypeError, ValueError):
        logger.warning("a hint could not be read")
