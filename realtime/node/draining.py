"""How a node takes leave of its connections: each is asked to go at a moment of its own, who stays is closed."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from realtime.hub.connection import Connection
from realtime.wire import frames
from realtime.wire.draining import answer_ms, leave_times_ms
from realtime.wire.protocol import CloseCode, RetryCode

if TYPE_CHECKING:
    from realtime.node.admission_control import Refusal
    from realtime.node.node import Node

logger = logging.getLogger(__name__)

REFUSAL: Refusal = (RetryCode.DRAINING, "This server is being replaced.", 500, CloseCode.DRAINING)
"""For newcomers of a node that goes, and for those who were not attached yet when it began to."""


class Draining:
    """One drain of `node`. `begin` tells everybody, `finish` waits until nobody is left."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._everybody_left = asyncio.Event()
        self._deadlines_s: dict[Connection, float] = {}

    def begin(self, within_ms: float) -> None:
        """Ask everybody to leave, spread over the first half of `within_ms`. Who is not welcomed yet is refused: of
        a drain that comes before its `welcome` a client could make nothing."""
        members = list(self._node.consumers.items())
        for connection, member in members:
            if member.attached is None:
                connection.refuse(*REFUSAL)
        staying = [connection for connection, member in members if member.attached is not None]
        now_s, patience_s = self._node.loop.time(), answer_ms(within_ms) / 1000
        for connection, leave_in_ms in zip(staying, leave_times_ms(len(staying), within_ms), strict=True):
            connection.send(frames.drain(leave_in_ms))
            self._deadlines_s[connection] = now_s + leave_in_ms / 1000 + patience_s
        self.on_closed()
        logger.info("this node goes: %d live connections are asked to leave", len(staying))

    def on_closed(self) -> None:
        """A connection is closed or gone."""
        if not self._node.consumers:
            self._everybody_left.set()

    async def finish(self) -> None:
        """Close whoever is still here some time after the moment at which it was asked to leave, and wait until what
        everybody was told is written."""
        for connection, deadline_s in self._deadlines_s.items():
            await self._everybody_left_by(deadline_s)
            connection.close(CloseCode.DRAINING)
        for connection in list(self._node.sweep.closing):
            await connection.until_written()

    async def _everybody_left_by(self, deadline_s: float) -> None:
        try:
            async with asyncio.timeout_at(deadline_s):
                await self._everybody_left.wait()
        except TimeoutError:
            pass
