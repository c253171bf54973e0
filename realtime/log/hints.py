"""Hints: "topic T has something new". They carry no data, may be lost, and only save time.

Given after commits, by any thread of any process. The hub of this process is told at once; other
processes are told by a publisher thread, one message for all topics given meanwhile. A publisher that
is stuck or fails delays nobody and forgets: the tail of the log finds what it lost.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

logger = logging.getLogger(__name__)

WAITING_LIMIT = 10_000
"""Topics waiting for the publisher; one more is forgotten, and the tail finds it."""

Listener = Callable[[str], None]
Publish = Callable[[frozenset[str]], None]

_listeners: list[Listener] = []


def listen(listener: Listener) -> None:
    """Call `listener` with each topic hinted in this process, in the thread that committed. It must not block."""
    _listeners.append(listener)


def unlisten(listener: Listener) -> None:
    if listener in _listeners:
        _listeners.remove(listener)


def give(topic: str) -> None:
    """`topic` has something new. Never raises, never blocks."""
    for listener in list(_listeners):
        try:
            listener(topic)
        except Exception:
            logger.exception("a listener of hints failed")
    publisher = _publisher
    if publisher is not None:
        publisher.give(topic)


class HintPublisher:
    """Publishes hints to other processes from a thread of its own, so that a commit never waits for Redis."""

    def __init__(self, publish: Publish) -> None:
        self._publish = publish
        self._waiting: set[str] = set()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._has_failed = False

    def give(self, topic: str) -> None:
        with self._changed:
            if len(self._waiting) < WAITING_LIMIT:
                self._waiting.add(topic)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="fathom-hints", daemon=True)
                self._thread.start()
            self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting)
                batch = frozenset(self._waiting)
                self._waiting.clear()
            self._publish_once(batch)

    def _publish_once(self, batch: frozenset[str]) -> None:
        try:
            self._publish(batch)
        except Exception as error:
            if not self._has_failed:
                logger.warning("hints to other nodes are lost, the tail delivers instead: %s", error)
            self._has_failed = True
        else:
            if self._has_failed:
                logger.info("hints reach other nodes again")
            self._has_failed = False


_publisher: HintPublisher | None = None


def send_to_others(publish: Publish | None) -> None:
    """Install (or with None remove) what publishes hints to other processes."""
    global _publisher
    _publisher = HintPublisher(publish) if publish is not None else None
