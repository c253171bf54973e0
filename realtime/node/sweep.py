"""One sweep for all connections of this process instead of timers for each.

Every tick looks at one slice of the connections (heartbeat, lost hints) and at the front of queues
in order of time: who has not said hello, who takes nothing in, whose close is not written.
"""

from __future__ import annotations

import asyncio
import heapq
import logging
from collections.abc import Callable
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

from realtime import metrics
from realtime.clock import now_ms
from realtime.hub.connection import Connection, State
from realtime.wire.heartbeat import Verdict, Windows, decide
from realtime.wire.protocol import PING, CloseCode

if TYPE_CHECKING:
    from realtime.node.node import Node

logger = logging.getLogger(__name__)

SLICES = 40
TICK_MIN_MS, TICK_MAX_MS = 20.0, 1000.0
SEEN_WITHIN_MS = 3000.0
"""Clients say `seen` after a second at the latest; this leaves time for the way."""
CLOSE_PATIENCE_MS = 5000.0
"""A close frame that cannot be written for so long is given up together with its connection."""
SILENT_PATIENCE_MS = 500.0
"""Whoever was silent for the idle-kill time hardly answers a close frame. The server program would keep its
socket for 10 s to wait for that (uvicorn), or for ever."""


class Sweep:
    def __init__(self, node: Node, timings: Any) -> None:
        self._node = node
        self._windows = Windows(timings.heartbeat_ms, timings.idle_kill_ms)
        self._hello_ms = timings.handshake_ms
        self.slow_ms = timings.slow_ms
        """No `seen` for this long while frames are outstanding: the client takes nothing in."""
        self._slices: list[dict[Connection, None]] = [{} for _ in range(SLICES)]
        self._next_slot = 0
        self._newcomers: dict[Connection, float] = {}
        self._outstanding: dict[Connection, float] = {}
        self.closing: dict[Connection, float] = {}
        self._later: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = count()
        self._not_before_ms = 0.0

    # --- What it looks after ----------------------------------------------------------------------

    def add(self, connection: Connection) -> None:
        connection.slot = self._next_slot
        self._next_slot = (self._next_slot + 1) % SLICES
        self._slices[connection.slot][connection] = None
        self._newcomers[connection] = now_ms()

    def discard(self, connection: Connection) -> None:
        """It is closed or gone; a close that is not written yet is looked after until it is."""
        self._slices[connection.slot].pop(connection, None)
        self._newcomers.pop(connection, None)
        self._outstanding.pop(connection, None)
        if connection.state is State.CLOSING:
            self.closing[connection] = now_ms()

    def on_hello(self, connection: Connection) -> None:
        self._newcomers.pop(connection, None)

    def on_outstanding(self, connection: Connection) -> None:
        """Frames are on their way to it since now, or its `seen` has just shown that it takes them in."""
        self._outstanding.pop(connection, None)
        if not connection.credit.is_all_seen and connection.is_open:
            self._outstanding[connection] = now_ms()

    def is_slow(self, connection: Connection) -> bool:
        """Whether frames have been on their way to it for longer than a client needs to say that it has seen them."""
        return self._outstanding.get(connection, float("inf")) < now_ms() - SEEN_WITHIN_MS

    def call_later(self, delay_ms: float, action: Callable[[], None]) -> None:
        """Call `action` at the first tick after `delay_ms`. It must be harmless when it is not wanted any more."""
        heapq.heappush(self._later, (now_ms() + delay_ms, next(self._numbers), action))

    # --- Looking ----------------------------------------------------------------------------------

    async def run(self) -> None:
        tick_ms = min(max(self._windows.heartbeat_ms / SLICES, TICK_MIN_MS), TICK_MAX_MS)
        slice_ms = self._windows.heartbeat_ms / SLICES
        due_ms = now_ms() + tick_ms
        slice_due_ms, slot = now_ms() + slice_ms, 0
        while True:
            await asyncio.sleep(max(0.0, due_ms - now_ms()) / 1000)
            now = now_ms()
            if now - due_ms > self._windows.late_ms:
                self._not_before_ms = now + self._windows.grace_ms
                slice_due_ms = now
            due_ms = now + tick_ms
            self._look_at_queues(now)
            while slice_due_ms <= now:
                self._look_at_slice(slot, now)
                slot, slice_due_ms = (slot + 1) % SLICES, slice_due_ms + slice_ms

    def _look_at_queues(self, now: float) -> None:
        for connection in _overdue(self._newcomers, now - self._hello_ms):
            _apart(partial(connection.close, CloseCode.NO_HELLO))
        for connection in _overdue(self._outstanding, now - self.slow_ms):
            _apart(partial(connection.close, CloseCode.SLOW))
        for connection in [each for each in self.closing if not each.is_blocked]:
            del self.closing[connection]
        for connection in _overdue(self.closing, now - CLOSE_PATIENCE_MS):
            _apart(connection.drop)
        while self._later and self._later[0][0] <= now:
            _apart(heapq.heappop(self._later)[2])

    def _look_at_slice(self, slot: int, now: float) -> None:
        connections = list(self._slices[slot])
        for connection in connections:
            _apart(partial(self._judge, connection, now))
            _apart(partial(self._node.serve, connection))
        keys = {each.feed.key for connection in connections for each in connection.subscriptions}
        if keys:
            self._node.look_for_lost_hints(keys)

    def _judge(self, connection: Connection, now: float) -> None:
        metrics.outstanding.observe(len(connection.credit.sizes))
        verdict = decide(now, connection.heard_ms, connection.told_ms, self._not_before_ms, self._windows)
        if verdict is Verdict.CLOSE:
            connection.close(CloseCode.SILENT)
            self.call_later(SILENT_PATIENCE_MS, connection.drop)
        elif verdict is Verdict.PING:
            metrics.pings.inc()
            connection.send_word(PING)


def _apart(work: Callable[[], None]) -> None:
    """A failure with one connection must not take the heartbeat from all others."""
    try:
        work()
    except Exception:
        logger.exception("the sweep could not do what is due for one connection")


def _overdue(queue: dict[Connection, float], before_ms: float) -> list[Connection]:
    """Take those out of `queue`, which is in order of time, that have been in it since before `before_ms`."""
    found = []
    for connection, since_ms in queue.items():
        if since_ms > before_ms:
            break
        found.append(connection)
    for connection in found:
        del queue[connection]
    return found
