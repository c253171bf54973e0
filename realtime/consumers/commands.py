"""Commands of clients: a bounded queue for each connection, worked off by one task that lives only as long.

The receive path checks a command's form and puts it here; one more than fit is answered `busy`.
A reply is sent only after the effect is durable.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from contest.services.errors import Refused
from realtime import database, metrics
from realtime.clock import now_ms, server_time
from realtime.consumers.journal import facts
from realtime.timer.settlement import Fenced
from realtime.wire import frames
from realtime.wire.protocol import Command, Malformed

if TYPE_CHECKING:
    from realtime.consumers.base import StreamConsumer

logger = logging.getLogger(__name__)

WAITING_LIMIT = 10
BUSY_RETRY_MS = 800
UNAVAILABLE_RETRY_MS = 2000
AWAY = ("busy", "The site cannot store this right now.", UNAVAILABLE_RETRY_MS)
"""Code, words and delay while the database is away."""

Data = dict[str, Any]


@dataclass(frozen=True)
class Handler:
    """`read` checks the form of the data (raising Malformed), `run` does it and answers the reply's data."""

    read: Callable[[Data], Any]
    run: Callable[[Any, Arrived], Awaitable[Data]]
    """Given the consumer and the command."""


@dataclass(frozen=True, slots=True)
class Arrived:
    """A command whose form was found right."""

    client_seq: int
    key: str
    name: str
    data: Any
    arrived_ms: float


class Queue:
    """At most one command of a connection runs, and at most `WAITING_LIMIT` wait."""

    __slots__ = ("_consumer", "_waiting", "_worker")

    def __init__(self, consumer: StreamConsumer) -> None:
        self._consumer = consumer
        self._waiting: deque[Arrived] | None = None
        self._worker: asyncio.Task[None] | None = None

    def put(self, command: Command) -> None:
        """Take in a command, from the receive path. Raises Malformed for one that this stream does not know."""
        arrived = self.read(command)
        if self._waiting is None:
            self._waiting = deque()
        if len(self._waiting) >= WAITING_LIMIT:
            metrics.busy.labels(self._consumer.stream.name).inc()
            self.refuse(arrived, Refused("busy", "Too many commands are waiting.", BUSY_RETRY_MS))
            return
        self._waiting.append(arrived)
        self.start()

    def read(self, command: Command) -> Arrived:
        """Raises Malformed for one that this stream does not know."""
        handler = self._consumer.commands.get(command.name)
        if handler is None:
            raise Malformed("no command of this stream")
        hello = self._consumer.hello
        assert hello is not None
        key = f"{hello.client}/{self._consumer.stream.name}/{command.client_seq}"
        return Arrived(command.client_seq, key, command.name, handler.read(command.data), now_ms())

    def start(self) -> None:
        """Work off what waits, once the connection is attached."""
        if self._worker is None and self._waiting and self._consumer.attached is not None:
            # Taken at once: of a burst that comes in one turn of the loop the first one runs, it does not wait.
            first = self._waiting.popleft()
            self._worker = asyncio.get_running_loop().create_task(self._work_off(first))

    def drop(self) -> None:
        """What waits is not done any more. Only for those who are turned away: what was taken in from a page
        that is being left (its last report, an acknowledgement) is done all the same."""
        self._waiting = None

    async def _work_off(self, first: Arrived) -> None:
        try:
            await self.run(first)
            while self._waiting:
                await self.run(self._waiting.popleft())
        finally:
            self._worker = None

    async def run(self, arrived: Arrived) -> None:
        """Do it and send its reply, whatever comes of it."""
        try:
            data = await self._consumer.commands[arrived.name].run(self._consumer, arrived)
        except Refused as refused:
            self.refuse(arrived, refused)
        except Fenced:
            pass  # the socket is closed with 4103; the newer one reports
        except database.AWAY as error:
            logger.warning("%s could not be done now: %s", arrived.name, error, extra=self._about())
            self.refuse(arrived, Refused(*AWAY))
        except Exception:
            logger.exception("%s failed", arrived.name, extra=self._about())
            self.refuse(arrived, Refused("failed", "This could not be done."))
        else:
            self.reply(arrived, data)

    def _about(self) -> dict[str, Any]:
        return {"fathom": facts(self._consumer)}

    def reply(self, arrived: Arrived, data: Data) -> None:
        held_ms = round(now_ms() - arrived.arrived_ms)
        frame = frames.reply(arrived.client_seq, data, server_time=server_time(), held_ms=held_ms)
        self._consumer.connection.send(frame)

    def refuse(self, arrived: Arrived, refused: Refused) -> None:
        held_ms = round(now_ms() - arrived.arrived_ms)
        frame = frames.refusal(
            arrived.client_seq,
            refused.code,
            refused.message,
            server_time=server_time(),
            held_ms=held_ms,
            retry_after_ms=refused.retry_after_ms,
        )
        self._consumer.connection.send(frame)
