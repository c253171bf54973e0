"""What all five streams share: accept, hello, attach, receive path, commands, ending.

Channels' own dispatch hops to the one worker thread before every message; this class has its own
receive loop, which never awaits anything but the next frame. A `ping` is therefore answered
whatever commands run, whatever the database does. See docs/decisions/0008-own-receive-path.md.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

from contest.streams import StreamName
from realtime import metrics
from realtime.clock import now_ms, server_time
from realtime.consumers import commands
from realtime.consumers.commands import Arrived, Data
from realtime.consumers.identity import Identity
from realtime.consumers.journal import facts, journal
from realtime.entry.addresses import limited_address
from realtime.entry.admitting import TurnedAway
from realtime.entry.attach import Attached, Rechecked, Request
from realtime.entry.sessions import Visitor, session_key_of
from realtime.hub.connection import Connection, State
from realtime.hub.outbox import Send
from realtime.node.admission_control import Refusal
from realtime.node.node import Node, current_node
from realtime.wire import frames, protocol
from realtime.wire.admission import FloodGuard
from realtime.wire.protocol import CloseCode, Command, EndCode, Hello, RetryCode, Seen

logger = logging.getLogger(__name__)

Receive = Callable[[], Any]


class StreamConsumer(Identity):
    """One socket of one stream. Subclasses set `stream` and `commands`."""

    commands: ClassVar[dict[str, commands.Handler]] = {}

    connection: Connection
    node: Node

    def __init__(self) -> None:
        super().__init__()
        self.queue = commands.Queue(self)
        self.flood = FloodGuard()
        self.must_recheck = False
        self.rechecks = 0
        self.is_fallback = False
        """Carried by an event stream: what its client says comes by `hear`."""

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Run the connection from its handshake to its end."""
        await receive()
        await send({"type": "websocket.accept"})
        self.node = current_node()
        self.target = scope["url_route"]["kwargs"]["target"]
        self.is_fallback = scope.get("carrier") == "events"
        self.connection = self.node.open(self, send)
        try:
            self._greet(scope)
            while (message := await receive())["type"] == "websocket.receive":
                self._take(message.get("text"))
        finally:
            self.connection.lose()

    # --- Attaching --------------------------------------------------------------------------------

    def _greet(self, scope: dict[str, Any]) -> None:
        refusal = self.node.refusal(limited_address(scope))
        if refusal is not None:
            self.connection.refuse(*refusal)
            return
        self.node.visitors.submit(session_key_of(scope["headers"])).add_done_callback(self._on_visitor)

    def _on_visitor(self, future: asyncio.Future[Visitor | None]) -> None:
        if self._has_failed(future) or not self.connection.is_open:
            return
        self.visitor = future.result()
        if self.visitor is None:
            self.connection.end(EndCode.SIGNED_OUT, "Sign in to go on.", CloseCode.SIGNED_OUT)
            return
        refusal = self._refusal_in_contest()
        if refusal is not None:
            self.connection.refuse(*refusal)
            return
        self.node.identify(self)
        if self.connection.is_open and self.hello is not None:
            self._attach(self.hello.cursor)

    def _refusal_in_contest(self) -> Refusal | None:
        """The stream of one record does not name its contest; it is counted by address and node only."""
        is_of_contest = self.stream.name is not StreamName.RECORD
        return self.node.admission_control.refusal_in_contest(self.target) if is_of_contest else None

    def _on_hello(self, hello: Hello) -> None:
        if self.hello is not None:
            self._malformed("a second hello")
        elif hello.protocol != protocol.VERSION:
            self.connection.end(EndCode.OLD_CLIENT, "This page is too old; reload it.", CloseCode.OLD_CLIENT)
        else:
            self.hello = hello
            self.node.sweep.on_hello(self.connection)
            metrics.count_hello(self.stream.name, hello)
            if self.visitor is not None:
                self._attach(hello.cursor)

    def _attach(self, cursor: dict[str, protocol.Cursor] | None) -> None:
        if self.is_page_of_another():
            words = "This browser is signed in as somebody else now."
            self.connection.end(EndCode.SIGNED_OUT, words, CloseCode.SIGNED_OUT)
            return
        self.connection.state = State.ATTACHING
        self.node.attach(self.request(cursor)).add_done_callback(self._on_attached)

    def request(self, cursor: dict[str, protocol.Cursor] | None) -> Request:
        """What is asked of the database for this connection. Its visitor and its hello must be known."""
        assert self.visitor is not None
        assert self.hello is not None
        is_first = self.hello.cause == "first" and self.attached is None
        return Request(self.stream, self.target, self.visitor, self.hello.client, cursor, is_first)

    def resync(self) -> None:
        """Start again from a snapshot on the same socket: the log or the viewer's rights are not the same."""
        if self.connection.state in (State.LIVE, State.REPLAYING, State.SUSPENDED):
            self.node.hub.unsubscribe(self.connection)
            self._attach(None)

    def _on_attached(self, future: asyncio.Future[Attached]) -> None:
        if self._has_failed(future) or not self.connection.is_open:
            return
        is_first = self.attached is None
        self.attached = attached = future.result()
        if is_first:
            self.node.settle_identity(self)
            self._welcome(resumed=attached.snapshot is None)
        self.connection.state = State.REPLAYING
        for short, key in attached.admission.topics.items():
            self.node.hub.subscribe(self.connection, key, short, attached.heads[short], attached.positions[short])
        if attached.snapshot is not None:
            self.connection.send(frames.snapshot(self.connection.cursors, attached.snapshot))
        if is_first:
            self._record_success(resumed=attached.snapshot is None)
        self.on_attached(attached)
        self.node.serve(self.connection)
        self.queue.start()
        if self.must_recheck:
            self.must_recheck = False
            self.node.people.recheck([self], suspend=True)

    def _welcome(self, *, resumed: bool) -> None:
        assert self.attached is not None
        timer = self.attached.timer if self.is_fallback else None
        self.connection.send(
            frames.welcome(
                node=self.node.name,
                server_time=server_time(),
                resumed=resumed,
                timings=self.node.client_timings,
                fence=timer.session_epoch if timer else None,
            )
        )

    def _record_success(self, *, resumed: bool) -> None:
        assert self.hello is not None
        metrics.count_attached(self.stream.name, self.hello, resumed=resumed)
        journal.attached(self, resumed=resumed)

    def on_attached(self, attached: Attached) -> None:
        """Called before replay begins, also after a resync. For subclasses."""

    def on_closed(self) -> None:
        """Called once when nothing more is sent."""
        journal.ended(self)

    # --- What others ask --------------------------------------------------------------------------

    @property
    def is_attaching(self) -> bool:
        return self.connection.state in (State.GREETING, State.ATTACHING)

    # --- Changed rights and ends ------------------------------------------------------------------

    def on_rechecked(self, rechecked: Rechecked) -> None:
        """It may stay. Where it may see more or less than before, it starts again from a snapshot."""
        self.visitor = rechecked.visitor
        if self.attached is None or self.is_attaching or not self.connection.is_open:
            return
        if rechecked.admission.topics != self.attached.admission.topics:
            self.resync()
            return
        self.attached = replace(self.attached, admission=rechecked.admission)
        if self.rechecks == 0:
            self.connection.resume()
            self.node.serve(self.connection)

    def turn_away(self, turned_away: TurnedAway) -> None:
        self.connection.end(turned_away.end_code, turned_away.message, turned_away.close_code)
        self.queue.drop()

    def _has_failed(self, future: asyncio.Future[Any]) -> bool:
        """Says why, if anybody is still there to hear it. Asks always: an error that nobody asks for is logged."""
        error = future.exception()
        if isinstance(error, TurnedAway):
            self.turn_away(error)
        elif error is not None and self.connection.is_open:
            logger.warning("it cannot be attached now: %s", error, extra={"fathom": facts(self)})
            self.connection.close(CloseCode.FAILURE)
        return error is not None

    # --- Beside the socket --------------------------------------------------------------------------

    def hear(self, text: str) -> None:
        """A frame of this document that came by a request. On a socket's connection it would count for nothing."""
        if self.is_fallback:
            self._take(text)

    def steering(self, arrived: Arrived) -> Data | None:
        """What the holder of this document's event stream must know of a command that was done. For subclasses."""
        return None

    def steer(self, name: str, data: Data) -> None:
        """The other end of `steering`. For subclasses. Raises Malformed."""

    # --- The receive path: nothing here awaits, reads the database or waits for a command ---------

    def _take(self, text: str | None) -> None:
        if not self.connection.is_open:
            return
        now = self.connection.heard_ms = now_ms()
        if self.flood.is_flooded(now, protocol.size_bytes(text or "")):
            self.connection.refuse(RetryCode.TOO_MANY, "Too much was sent at once.", 5000, CloseCode.TOO_MANY)
        elif text == protocol.PING:
            self.connection.send_word(protocol.PONG)
        elif text == protocol.PONG:
            pass
        elif text is None:
            self._malformed("a binary frame")
        elif protocol.is_over(text, self.stream.frame_limit_bytes):
            self.connection.end(EndCode.BAD_REQUEST, "A frame was too large.", CloseCode.TOO_LARGE)
        else:
            self._take_json(text)

    def _take_json(self, text: str) -> None:
        try:
            frame = protocol.parse(text)
            if isinstance(frame, Hello):
                self._on_hello(frame)
            elif self.hello is None:
                self._malformed("no hello before it")
            elif isinstance(frame, Seen):
                if self.connection.on_seen(frame.frames):
                    self.flood.take_back()
            elif isinstance(frame, Command):
                self.queue.put(frame)
            else:
                self.connection.close(CloseCode.DRAINING)
        except protocol.Malformed as error:
            self._malformed(str(error))

    def _malformed(self, why: str) -> None:
        message = f"A frame is not of this protocol: {why}."
        self.connection.end(EndCode.BAD_REQUEST, message, CloseCode.MALFORMED)
