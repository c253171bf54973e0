"""One connection through the fault proxy: two directions, each of which may be swallowed, delayed or forgotten."""

from __future__ import annotations

import asyncio
import time
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from e2e.harness.fault_proxy import FaultProxy

PIECE_BYTES = 65536


class Direction(Enum):
    UP = "from the browser to the site"
    DOWN = "from the site to the browser"


class Carried:
    """Its writers (towards the browser, and towards the site), and what is known of it."""

    def __init__(self, *writers: asyncio.StreamWriter) -> None:
        self.writers = writers
        self.path = ""
        self.is_socket = False  # a WebSocket, from its handshake on
        self.lost: set[Direction] = set()  # once data was lost here, nothing is carried that way any more
        self.moved_s = time.monotonic()

    def close(self) -> None:
        for writer in self.writers:
            writer.close()

    def request_in(self, piece: bytes) -> str:
        """The path of the request that begins with this piece, if one does."""
        head, _, rest = piece.partition(b"\r\n")
        if self.is_socket or not head.endswith(b"HTTP/1.1"):
            return ""
        self.path = head.split(b" ")[1].decode()
        self.is_socket = b"upgrade: websocket" in rest.lower()
        return self.path


async def carry(
    carried: Carried, from_browser: asyncio.StreamReader, from_site: asyncio.StreamReader, proxy: FaultProxy
) -> None:
    """Until both sides have closed it, or one side the whole."""
    to_browser, to_site = carried.writers
    ways = [
        _one_way(carried, Direction.UP, from_browser, to_site, proxy),
        _one_way(carried, Direction.DOWN, from_site, to_browser, proxy),
    ]
    tasks = [asyncio.create_task(way) for way in ways]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        # A direction that swallows hides even the end of one side from the other, as long as that keeps it.
        if carried.lost:
            await asyncio.wait(tasks)
    finally:
        for task in tasks:
            task.cancel()
        carried.close()


async def _one_way(
    carried: Carried,
    direction: Direction,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    proxy: FaultProxy,
) -> None:
    try:
        while piece := await reader.read(PIECE_BYTES):
            path = carried.request_in(piece) if direction is Direction.UP else ""
            if path and not proxy.admits(carried, path):
                carried.lost.update(Direction)
            if path and carried.is_socket:
                piece = proxy.upgrade(carried, piece)
            if _swallows(carried, direction, proxy):
                proxy.counts.swallowed[direction] += len(piece)
                continue
            if proxy.faults.delay_s:
                await asyncio.sleep(proxy.faults.delay_s)
            writer.write(piece)
            await writer.drain()
    except (ConnectionError, OSError):
        pass  # the other side has cut it: so does this one
    if direction in proxy.faults.swallow:
        carried.lost.add(direction)  # the end is swallowed, too, also where no data came before it


def _swallows(carried: Carried, direction: Direction, proxy: FaultProxy) -> bool:
    now_s, limit_s = time.monotonic(), proxy.faults.forget_after_s
    if limit_s is not None and carried.is_socket and now_s - carried.moved_s > limit_s and not carried.lost:
        carried.lost.update(Direction)
        proxy.counts.forgotten += 1
    carried.moved_s = now_s
    if direction in proxy.faults.swallow:
        carried.lost.add(direction)
    return direction in carried.lost
