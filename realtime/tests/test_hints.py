"""Hints: merged, bounded, published by a thread of their own, and forgotten when they cannot be published."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator

import pytest

from realtime.log import hints
from realtime.log.hints import HintPublisher

pytestmark = pytest.mark.embedded  # nothing here knows of a database or a channel layer

PATIENCE_S = 5.0


class Transport:
    """What hints are published over: it can be closed, so that whoever publishes waits, and it can break."""

    def __init__(self) -> None:
        self.published: list[frozenset[str]] = []
        self.is_broken = False
        self.open = threading.Event()
        self.open.set()
        self.arrived = threading.Semaphore(0)
        self.done = threading.Semaphore(0)

    def __call__(self, topics: frozenset[str]) -> None:
        self.arrived.release()
        assert self.open.wait(PATIENCE_S)
        try:
            if self.is_broken:
                raise TimeoutError("Redis is away")
            self.published.append(topics)
        finally:
            self.done.release()


@pytest.fixture
def transport() -> Iterator[Transport]:
    yield (transport := Transport())
    transport.open.set()


def stuck_on(transport: Transport) -> HintPublisher:
    """With its first message, until `transport.open` is set."""
    publisher = HintPublisher(transport)
    transport.open.clear()
    publisher.give("first")
    assert transport.arrived.acquire(timeout=PATIENCE_S), "it has not set out"
    return publisher


def test_what_is_given_while_one_message_is_on_its_way_goes_into_the_next_once_each(transport: Transport) -> None:
    publisher = stuck_on(transport)
    for number in range(300):
        publisher.give(f"c{number % 3}")
    transport.open.set()
    assert all(transport.done.acquire(timeout=PATIENCE_S) for _ in range(2))
    assert transport.published == [{"first"}, {"c0", "c1", "c2"}]


def test_a_transport_that_is_stuck_delays_nobody(transport: Transport) -> None:
    publisher = stuck_on(transport)
    began = time.monotonic()
    for number in range(1000):
        publisher.give(f"c{number}")
    assert time.monotonic() - began < 1.0


def test_what_waits_is_bounded(transport: Transport, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hints, "WAITING_LIMIT", 10)
    publisher = stuck_on(transport)
    for number in range(50):
        publisher.give(f"c{number}")
    transport.open.set()
    assert all(transport.done.acquire(timeout=PATIENCE_S) for _ in range(2))
    assert len(transport.published[1]) == 10


def test_a_transport_that_breaks_is_forgotten_and_said_once(
    transport: Transport, caplog: pytest.LogCaptureFixture
) -> None:
    publisher = HintPublisher(transport)
    transport.is_broken = True
    with caplog.at_level(logging.INFO, logger="realtime.log.hints"):
        for number in range(3):
            publisher.give(f"lost{number}")
            assert transport.done.acquire(timeout=PATIENCE_S)
        transport.is_broken = False
        publisher.give("after")
        assert transport.done.acquire(timeout=PATIENCE_S)
        publisher.give("the end")  # what is said about the one before is said by now
        assert transport.done.acquire(timeout=PATIENCE_S)
    assert transport.published == [{"after"}, {"the end"}], "lost is lost: the tail finds it"
    assert [record.levelname for record in caplog.records] == ["WARNING", "INFO"]


def test_a_listener_that_fails_takes_nothing_from_the_others() -> None:
    def failing(topic: str) -> None:
        raise ZeroDivisionError

    heard: list[str] = []
    for listener in (failing, heard.append):
        hints.listen(listener)
    try:
        hints.give("c1")
    finally:
        hints.unlisten(failing)
        hints.unlisten(heard.append)
    assert heard == ["c1"]
