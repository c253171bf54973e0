"""Doing the commands of one stream that came by a request, on whichever node took it.

The stream's own consumer does them, as on a socket; it has a buffer instead of a connection,
and what it writes there is the answer. It is never known to the node, so nothing else reaches it.
"""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field, replace
from typing import Any, cast

from contest.services.errors import Refused
from contest.streams import StreamName
from realtime import database
from realtime.consumers.base import StreamConsumer
from realtime.consumers.commands import AWAY, BUSY_RETRY_MS, WAITING_LIMIT, Arrived
from realtime.entry.admitting import Admission, TurnedAway
from realtime.entry.attach import Attached
from realtime.entry.sessions import Visitor
from realtime.fallback.carrier import closed, named
from realtime.hub.connection import Connection
from realtime.log.reading import Head
from realtime.node.node import Node
from realtime.timer import rows as timer_rows
from realtime.wire import frames, protocol
from realtime.wire.protocol import PING, PONG, CloseCode, Command, EndCode, Hello, Malformed, Seen

logger = logging.getLogger(__name__)

NOWHERE = Head("", 0)


@dataclass
class BufferedConnection:
    """Stands in for a connection: what would be sent is written down."""

    name: str
    written: list[str] = field(default_factory=list)
    subscriptions: tuple[()] = ()
    closed_with: CloseCode | None = None

    @property
    def is_open(self) -> bool:
        return self.closed_with is None

    def send(self, text: str, size_bytes: int | None = None) -> None:
        if self.is_open:
            self.written.append(named(self.name, text))

    def end(self, code: EndCode, message: str, close_code: CloseCode) -> None:
        self.send(frames.end(code, message))
        self.close(close_code)

    def close(self, code: CloseCode) -> None:
        if self.is_open:
            self.written.append(closed(self.name, code))
            self.closed_with = code


class StreamRequest:
    """One stream of one document, for the length of one request."""

    def __init__(self, name: str, consumer: StreamConsumer, target: str, node: Node, visitor: Visitor, client: str):
        self.connection = BufferedConnection(name)
        self._consumer = consumer
        self._node = node
        self._texts: list[str] = []
        self._steering: list[tuple[str, dict[str, Any]]] = []
        self._commands = 0
        consumer.connection = cast(Connection, self.connection)
        consumer.node, consumer.target, consumer.visitor = node, target, visitor
        consumer.hello = Hello(protocol.VERSION, client, None, 0, "", 0, {}, "")

    async def serve(self, given: list[dict[str, Any]]) -> list[str]:
        """Take in all frames of this stream, in order; what is written down is the answer."""
        try:
            for frame in given:
                if self.connection.is_open:
                    await self._take(frame)
        except Malformed as error:
            message = f"A frame is not of this protocol: {error}."
            self.connection.end(EndCode.BAD_REQUEST, message, CloseCode.MALFORMED)
        except TurnedAway as turned_away:
            self.connection.end(turned_away.end_code, turned_away.message, turned_away.close_code)
        if self._texts or self._steering:
            self._node.relay.send(self._consumer.document, self._texts, self._steering)
        return self.connection.written

    async def _take(self, frame: dict[str, Any]) -> None:
        text = json.dumps({key: value for key, value in frame.items() if key != "stream"}, ensure_ascii=False)
        if frame.get("type") in (PING, PONG):
            self._texts.append(str(frame["type"]))
        elif protocol.is_over(text, self._consumer.stream.frame_limit_bytes):
            self.connection.end(EndCode.BAD_REQUEST, "A frame was too large.", CloseCode.TOO_LARGE)
        else:
            parsed = protocol.parse(text)
            if isinstance(parsed, Hello):
                raise Malformed("a hello beside its connection")
            if isinstance(parsed, Command):
                await self._do(parsed, frame)
            elif isinstance(parsed, Seen):
                self._texts.append(frames.encode({"type": "seen", "frames": parsed.frames}))
            else:
                self._texts.append(frames.encode({"type": "leave"}))

    async def _do(self, command: Command, frame: dict[str, Any]) -> None:
        arrived = self._consumer.queue.read(command)
        self._commands += 1
        if self._commands > WAITING_LIMIT:
            self._consumer.queue.refuse(arrived, Refused("busy", "Too many commands at once.", BUSY_RETRY_MS))
            return
        if self._consumer.attached is None and not await self._has_attached(arrived, frame):
            return
        await self._consumer.queue.run(arrived)
        steering = self._consumer.steering(arrived)
        if steering is not None:
            self._steering.append((command.name, steering))

    async def _has_attached(self, arrived: Arrived, frame: dict[str, Any]) -> bool:
        """If not, it has been said why. Raises TurnedAway or Malformed, which end the stream."""
        try:
            await self._attach(frame)
        except database.AWAY as error:
            logger.warning("a command cannot be taken now: %s", error)
            self._consumer.queue.refuse(arrived, Refused(*AWAY))
            return False
        except (TurnedAway, Malformed):
            raise
        except Exception:
            logger.exception("a command could not be taken")
            self._consumer.queue.refuse(arrived, Refused("failed", "This could not be done."))
            return False
        return self.connection.is_open

    async def _attach(self, frame: dict[str, Any]) -> None:
        """Rights as they are now. Raises TurnedAway, or Malformed for a report that names no fence."""
        consumer = self._consumer
        assert consumer.visitor is not None
        assert consumer.hello is not None
        admission = await self._node.admissions.submit((consumer.stream, consumer.target, consumer.visitor))
        timer = await self._find_timer(admission, frame)
        if consumer.stream.name is StreamName.TIMER and timer is None:
            self.connection.close(CloseCode.SUPERSEDED)
            return
        consumer.hello = replace(consumer.hello, cause=protocol.stated_cause(frame))
        consumer.attached = Attached(admission, {}, {}, NOWHERE, timer=timer)
        consumer.on_attached(consumer.attached)

    async def _find_timer(self, admission: Admission, frame: dict[str, Any]) -> timer_rows.Session | None:
        consumer = self._consumer
        if consumer.stream.name is not StreamName.TIMER or consumer.hello is None:
            return None
        fence = protocol.integer(frame, "fence")
        client, user_id = consumer.hello.client, consumer.user.pk
        return await database.run(
            database.reading, timer_rows.find_session, admission.contest.pk, user_id, client, fence
        )
