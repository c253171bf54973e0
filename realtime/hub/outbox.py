"""The way out of one connection: ASGI `send`, called in order and without a task for each frame.

Each `send` coroutine is stepped once, inline; that is all there is to it while the client reads.
Only one that blocks (the server program's write buffer is full) becomes a task, and what must
follow it waits here, at most `WAITING_LIMIT` control frames: events do not wait, they stay in the log.
"""

from __future__ import annotations

import asyncio
import types
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Generator
from typing import Any

Message = dict[str, Any]
Send = Callable[[Message], Awaitable[None]]

WAITING_LIMIT = 64


class Outbox:
    """Sends messages in order. `on_room` is called when a blocked send is through, `on_lost` when one fails."""

    __slots__ = ("_blocked", "_on_lost", "_on_room", "_send", "_waiting")

    def __init__(self, send: Send, *, on_room: Callable[[], None], on_lost: Callable[[], None]) -> None:
        self._send = send
        self._on_room = on_room
        self._on_lost = on_lost
        self._blocked: asyncio.Task[None] | None = None
        self._waiting: deque[Message] | None = None

    @property
    def is_blocked(self) -> bool:
        return self._blocked is not None

    def put(self, message: Message) -> bool:
        """Send `message` after all before it. False if too much waits already."""
        if self._blocked is not None:
            return self._put_behind(message)
        coroutine = self._start(message)
        try:
            first = coroutine.send(None)
        except StopIteration:
            return True
        except Exception:  # the client is gone; its disconnect message is on the way
            self._on_lost()
            return True
        self._blocked = asyncio.get_running_loop().create_task(self._finish(coroutine, first))
        return True

    async def wait(self) -> None:
        """Until nothing is blocked any more."""
        if self._blocked is not None:
            await asyncio.wait([self._blocked])

    def cancel(self) -> None:
        if self._blocked is not None:
            self._blocked.cancel()

    def _start(self, message: Message) -> Coroutine[Any, Any, None]:
        awaitable = self._send(message)
        return awaitable if isinstance(awaitable, Coroutine) else _as_coroutine(awaitable)

    def _put_behind(self, message: Message) -> bool:
        if self._waiting is None:
            self._waiting = deque()
        if len(self._waiting) >= WAITING_LIMIT:
            return False
        self._waiting.append(message)
        return True

    async def _finish(self, coroutine: Coroutine[Any, Any, None], first: Any) -> None:
        try:
            await _resume(coroutine, first)
            while self._waiting:
                await self._send(self._waiting.popleft())
        except Exception:  # as in `put`
            self._on_lost()
        finally:
            self._blocked = None
            self._waiting = None
        self._on_room()


async def _as_coroutine(awaitable: Awaitable[None]) -> None:
    await awaitable


@types.coroutine
def _resume(coroutine: Coroutine[Any, Any, None], first: Any) -> Generator[Any, Any, None]:
    """Wait for what the first step of `coroutine` yielded, then run it to its end."""
    yield first
    yield from coroutine.__await__()
