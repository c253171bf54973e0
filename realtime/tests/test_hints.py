"""Hints: merged, bounded, carried by a thread of their own, and forgotten when they cannot be carried."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator

import pytest

from realtime.log import hints
from realtime.log.hints import Courier

pytestmark = pytest.mark.embedded  # nothing here knows of a database or a channel layer

PATIENCE_S = 5.0


class Road:
    """What carries the hints: it can be closed, so that whoever carries waits, and it can break."""

    def __init__(self) -> None:
        self.carried: list[frozenset[str]] = []
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
            self.carried.append(topics)
        finally:
            self.done.release()


@pytest.fixture
def road() -> Iterator[Road]:
    yield (road := Road())
    road.open.set()


def stuck_on(road: Road) -> Courier:
    """With its first message, until `road.open` is set."""
    courier = Courier(road)
    road.open.clear()
    courier.give("first")
    assert road.arrived.acquire(timeout=PATIENCE_S), "it has not set out"
    return courier


def test_what_is_given_while_one_message_is_on_its_way_goes_into_the_next_once_each(road: Road) -> None:
    courier = stuck_on(road)
    for number in range(300):
        courier.give(f"c{number % 3}")
    road.open.set()
    assert all(road.done.acquire(timeout=PATIENCE_S) for _ in range(2))
    assert road.carried == [{"first"}, {"c0", "c1", "c2"}]


def test_a_road_that_is_stuck_delays_nobody(road: Road) -> None:
    courier = stuck_on(road)
    began = time.monotonic()
    for number in range(1000):
        courier.give(f"c{number}")
    assert time.monotonic() - began < 1.0


def test_what_waits_is_bounded(road: Road, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hints, "WAITING_LIMIT", 10)
    courier = stuck_on(road)
    for number in range(50):
        courier.give(f"c{number}")
    road.open.set()
    assert all(road.done.acquire(timeout=PATIENCE_S) for _ in range(2))
    assert len(road.carried[1]) == 10


def test_a_road_that_breaks_is_forgotten_and_said_once(road: Road, caplog: pytest.LogCaptureFixture) -> None:
    courier = Courier(road)
    road.is_broken = True
    with caplog.at_level(logging.INFO, logger="realtime.log.hints"):
        for number in range(3):
            courier.give(f"lost{number}")
            assert road.done.acquire(timeout=PATIENCE_S)
        road.is_broken = False
        courier.give("after")
        assert road.done.acquire(timeout=PATIENCE_S)
        courier.give("the end")  # what is said about the one before is said by now
        assert road.done.acquire(timeout=PATIENCE_S)
    assert road.carried == [{"after"}, {"the end"}], "lost is lost: the tail finds it"
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
