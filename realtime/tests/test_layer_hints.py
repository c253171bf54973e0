"""Hints between processes over the configured channel layer, and what its Redis does to them."""

from __future__ import annotations

import asyncio
import copy
import signal
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest
from channels.layers import channel_layers
from django.conf import settings
from django.test import override_settings
from redis import RedisError

from realtime.log.layer_hints import LayerPublisher, configured_layer, receive
from tools.services import Redis

pytestmark = [pytest.mark.scaled, pytest.mark.slow]

CONSUMERS = 150
IDLE_S = 6.0
"""redis-py's own time-out of a socket is 5 s; without the host settings an idle reader ends there."""


@pytest.fixture
def redis() -> Iterator[Redis]:
    """A Redis of this test's own under the configured layer: the run's shared one must not be stopped."""
    layers: dict[str, Any] = copy.deepcopy(settings.CHANNEL_LAYERS)
    with tempfile.TemporaryDirectory(prefix="fathom-", dir="/tmp") as folder:
        server = Redis(Path(folder) / "redis")
        server.start()
        layers["default"]["CONFIG"]["hosts"][0]["address"] = server.url
        with override_settings(CHANNEL_LAYERS=layers):
            channel_layers.backends.clear()
            yield server
        channel_layers.backends.clear()
        server.stop()


@asynccontextmanager
async def hearing(own: str) -> AsyncIterator[asyncio.Queue[list[str]]]:
    """What a process named `own` hears."""
    heard: asyncio.Queue[list[str]] = asyncio.Queue()
    subscribed = asyncio.Event()
    task = asyncio.create_task(receive(own, heard.put_nowait, subscribed.set, lambda word: None))
    async with asyncio.timeout(10):
        await subscribed.wait()
    yield heard
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await configured_layer().flush()


class Sender:
    """A publisher of hints in a thread of its own, as a HintPublisher has one."""

    def __init__(self, name: str) -> None:
        self._publisher = LayerPublisher(name)
        self._thread = ThreadPoolExecutor(1)

    async def give(self, topic: str) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, self._publisher, frozenset({topic}))

    def close(self) -> None:
        self._thread.submit(self._publisher.close).result()
        self._thread.shutdown()


async def test_a_hint_reaches_the_other_process_and_not_its_sender(redis: Redis) -> None:
    async with hearing("n1") as first, hearing("n2") as second:
        with closing(Sender("n1")) as sender:
            await sender.give("c1")
        assert await asyncio.wait_for(second.get(), 2) == ["c1"]
        assert first.empty()


async def test_a_redis_that_hangs_is_given_up_after_a_second(redis: Redis) -> None:
    with closing(Sender("n1")) as sender:
        await sender.give("before")
        assert redis.process is not None
        redis.process.send_signal(signal.SIGSTOP)
        try:
            began = time.monotonic()
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(asyncio.shield(asyncio.ensure_future(sender.give("lost"))), 8)
            assert time.monotonic() - began < 5.0
        finally:
            redis.process.send_signal(signal.SIGCONT)


async def test_hints_flow_again_after_redis_was_away(redis: Redis) -> None:
    with closing(Sender("n2")) as sender:
        async with hearing("n1") as heard:
            await sender.give("before")
            assert await asyncio.wait_for(heard.get(), 2) == ["before"]
            redis.stop()
            with pytest.raises((OSError, RedisError)):
                await sender.give("lost")
            redis.start()
            assert await _heard_again(sender, heard)


async def _heard_again(sender: Sender, heard: asyncio.Queue[list[str]]) -> bool:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        await sender.give("after")
        try:
            return await asyncio.wait_for(heard.get(), 0.5) == ["after"]
        except TimeoutError:
            continue
    return False


async def test_150_idle_consumers_of_the_layer_all_stay_open(redis: Redis) -> None:
    layer = configured_layer()
    channels = [await layer.new_channel() for _ in range(CONSUMERS)]
    readers = [asyncio.create_task(layer.receive(channel)) for channel in channels]
    done, _ = await asyncio.wait(readers, timeout=IDLE_S)
    assert done == set(), "an idle reader ended"
    for channel in channels:
        await layer.send(channel, {"type": "word"})
    assert await asyncio.gather(*readers) == [{"type": "word"}] * CONSUMERS
    await layer.flush()
