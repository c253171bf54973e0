"""A TCP proxy in front of a site that breaks the path on command, and counts what it broke.

It runs an event loop in a thread of its own, so that it goes on while the test waits for a browser.
What it swallows it has read: the sender's side of the connection looks healthy, as behind a black hole.
"""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeVar

from e2e.harness.carrying import Carried, Direction, carry
from tools.site_process import port_of, reserved_port

RESET_ON_CLOSE = struct.pack("ii", 1, 0)
"""SO_LINGER on, for no time at all: close() sends RST instead of FIN."""
CALL_TIMEOUT_S = 10.0
REFUSAL = b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"

T = TypeVar("T")


class Door(Enum):
    """What happens to connections that come from now on."""

    OPEN = "open"
    REFUSE = "refuse"  # nothing listens: the client gets RST for its SYN
    HANG = "hang"  # accepted, never answered
    SLAM = "slam"  # accepted and closed at once


class Upgrades(Enum):
    """What happens to the handshakes of WebSockets; everything else passes."""

    PASS = "pass"
    REFUSE = "refuse"  # answered with 403, as by a proxy that does not know them
    STRIP = "strip"  # passed on without what asks for the upgrade: the site sees a plain request
    HANG = "hang"  # never answered


@dataclass
class Faults:
    """What is wrong right now. Read by the proxy's loop with every connection and every piece of data."""

    door: Door = Door.OPEN
    swallow: frozenset[Direction] = frozenset()
    delay_s: float = 0.0
    forget_after_s: float | None = None  # of silence on a connection; then it carries nothing any more
    live_for_s: float | None = None  # so long after it was opened a WebSocket is closed
    stall: str = ""  # requests for this path are never answered
    mute: str = ""  # requests for this path reach the site, and their answers nobody
    upgrades: Upgrades = Upgrades.PASS
    hang_next: int = 0  # so many WebSocket handshakes are never answered


@dataclass
class Counts:
    """What has taken place, for tests that prove their own premise."""

    accepted: int = 0
    hung: int = 0
    stalled: int = 0
    muted: int = 0
    slammed: int = 0
    reset: int = 0
    forgotten: int = 0
    blocked: int = 0  # handshakes of WebSockets that did not come through as such
    event_streams: int = 0  # that were asked for
    swallowed: dict[Direction, int] = field(default_factory=lambda: dict.fromkeys(Direction, 0))


class FaultProxy:
    def __init__(self, target: tuple[str, int]) -> None:
        self.target = target
        self.faults = Faults()
        self.counts = Counts()
        self._reserved = reserved_port()  # also while the door is closed
        self.port = port_of(self._reserved)
        self._live: set[Carried] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._listener: asyncio.Server | None = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="fault proxy", daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    # --- What tests do ----------------------------------------------------------------------------

    def black_hole(self, *directions: Direction) -> None:
        """Carry nothing any more, in both directions unless named. Connections stay open on both sides."""
        self.faults.swallow = frozenset(directions or Direction)

    def heal(self) -> None:
        """New connections are carried again. One that has lost data is not: no path gives back what it ate."""
        self.faults = Faults()
        self._call(self._listen())

    def close_door(self, door: Door) -> None:
        self.faults.door = door
        if door is Door.REFUSE:
            self._call(self._stop_listening())

    def reset_all(self) -> int:
        """RST to both sides of every connection, at one instant; how many there were."""
        return self._call(self._cut(reset=True))

    def close_all(self) -> int:
        """FIN instead."""
        return self._call(self._cut(reset=False))

    @property
    def sockets(self) -> list[str]:
        """Paths of the WebSockets that are open through the proxy."""
        return sorted(each.path for each in list(self._live) if each.is_socket)

    @property
    def event_streams(self) -> list[str]:
        """Paths of the event streams that are open through the proxy."""
        return sorted(each.path for each in list(self._live) if is_event_stream(each.path))

    @property
    def swallowed(self) -> int:
        """Bytes that went in and did not come out."""
        return sum(self.counts.swallowed.values())

    def is_refusing(self) -> bool:
        """Whether the operating system itself refuses a connection."""
        with socket.socket() as visitor:
            return visitor.connect_ex(("127.0.0.1", self.port)) != 0

    # --- Life -------------------------------------------------------------------------------------

    def start(self) -> None:
        self._thread.start()
        self._call(self._listen())

    def stop(self) -> None:
        self._call(self._stop_listening())
        self._call(self._cut(reset=True))
        self._call(self._end_tasks())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(CALL_TIMEOUT_S)
        self._reserved.close()

    def _call(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(CALL_TIMEOUT_S)

    async def _listen(self) -> None:
        if self._listener is None:
            self._listener = await asyncio.start_server(self._welcome, "127.0.0.1", self.port, backlog=256)

    async def _stop_listening(self) -> None:
        if self._listener is not None:
            self._listener.close()
            self._listener = None

    async def _end_tasks(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # --- Connections ------------------------------------------------------------------------------

    def _welcome(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = self._loop.create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.counts.accepted += 1
        match self.faults.door:
            case Door.SLAM:
                self.counts.slammed += 1
                writer.close()
            case Door.HANG:
                self.counts.hung += 1
                await self._hold(reader, writer)
            case _:
                await self._carry(reader, writer)

    async def _hold(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Read, and never say anything."""
        held = Carried(writer)
        self._live.add(held)
        try:
            while await reader.read(65536):
                pass
        except ConnectionError:
            pass
        finally:
            self._live.discard(held)
            writer.close()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            to_site = await asyncio.open_connection(*self.target)
        except OSError:
            writer.transport.abort()  # the site itself is away: what its own machine would do
            return
        carried = Carried(writer, to_site[1])
        self._live.add(carried)
        if self.faults.live_for_s is not None:
            self._loop.call_later(self.faults.live_for_s, carried.close)
        try:
            await carry(carried, reader, to_site[0], self)
        finally:
            self._live.discard(carried)

    def admits(self, carried: Carried, path: str) -> bool:
        """Whether this request may be answered at all."""
        self.counts.event_streams += is_event_stream(path)
        if self.faults.stall and path.startswith(self.faults.stall):
            self.counts.stalled += 1
            return False
        if self.faults.mute and path.startswith(self.faults.mute):
            self.counts.muted += 1
            carried.lost.add(Direction.DOWN)
        if carried.is_socket and self.faults.hang_next > 0:
            self.faults.hang_next -= 1
            self.counts.hung += 1
            return False
        return True

    def upgrade(self, carried: Carried, piece: bytes) -> bytes:
        """What of a WebSocket's handshake goes on to the site; nothing, if it ends here."""
        upgrades = self.faults.upgrades
        if upgrades is Upgrades.PASS:
            return piece
        self.counts.blocked += 1
        carried.is_socket = False
        if upgrades is Upgrades.STRIP:
            lines = piece.split(b"\r\n")
            return b"\r\n".join(line for line in lines if not line.lower().startswith((b"upgrade:", b"connection:")))
        carried.lost.update(Direction)
        if upgrades is Upgrades.REFUSE:
            carried.writers[0].write(REFUSAL)
            carried.close()
        return b""

    async def _cut(self, *, reset: bool) -> int:
        cut = list(self._live)
        for carried in cut:
            for writer in carried.writers:
                if reset:
                    _reset(writer)
                else:
                    carried.close()
        self.counts.reset += len(cut) if reset else 0
        return len(cut)


def is_event_stream(path: str) -> bool:
    return path.startswith("/rt/") and "/events?" in path


def _reset(writer: asyncio.StreamWriter) -> None:
    """One side may have gone by itself, while what it had sent is still being swallowed: it has no descriptor."""
    end = writer.get_extra_info("socket")
    if end.fileno() != -1:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
    writer.transport.abort()


@contextmanager
def fault_proxy(target: tuple[str, int]) -> Iterator[FaultProxy]:
    proxy = FaultProxy(target)
    proxy.start()
    try:
        yield proxy
    finally:
        proxy.stop()
