"""This process as a node: the hub, what feeds and serves it, and all connections with their limits.

Started by the first connection or by `manage.py serve`; one for each event loop.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from functools import partial

from django.conf import settings

from contest.streams import StreamName
from realtime import database, metrics
from realtime.batches import Batcher
from realtime.clock import now_ms
from realtime.entry import admitting, attach, sessions
from realtime.hub.catch_up import CatchUp, finish_replay, is_behind
from realtime.hub.connection import Connection, Watchers
from realtime.hub.hub import Hub
from realtime.hub.outbox import Send
from realtime.hub.tail import Tail
from realtime.ledger import Ledger
from realtime.log import hints, layer_hints
from realtime.node import scheduler
from realtime.node.admission_control import AdmissionControl, Refusal
from realtime.node.beats import Beats
from realtime.node.draining import REFUSAL, Draining
from realtime.node.loops import Loops, Work
from realtime.node.member import Member
from realtime.node.people import People
from realtime.node.relay import Relay
from realtime.node.sweep import Sweep
from realtime.presence.reporter import Reporter, Sighting
from realtime.timer.clock import WatchedClock
from realtime.timer.settlement import Settlement

logger = logging.getLogger(__name__)

ATTACHED_AT_ONCE = 64
CLIENT_TIMINGS = ("heartbeat_ms", "silence_ms", "probe_ms", "report_ms", "lease_ms")
"""What `welcome` tells a client; see docs/protocol.md."""


class Node:
    """Everything of one process that outlives a connection."""

    def __init__(self) -> None:
        timings = settings.FATHOM.timings
        self.name: str = settings.FATHOM.node_id
        self.client_timings: dict[str, int] = {name: getattr(timings, name) for name in CLIENT_TIMINGS}
        self.loop = asyncio.get_running_loop()
        self.draining: Draining | None = None
        self.consumers: dict[Connection, Member] = {}
        self.catch_up = CatchUp(self._resync)
        self.hub = Hub(self.catch_up.add, self._resync)
        self.people = People(self, settings.FATHOM.limits.user_connections)
        self.relay = Relay(self)
        self.admission_control = AdmissionControl(settings.FATHOM.limits)
        self.sweep = Sweep(self, timings)
        self.tail = Tail(self.hub, timings.tail_ms)
        self.ledger = Ledger()
        clock = WatchedClock()
        self.settlement = Settlement(clock)
        self.beats = Beats(self.name, clock)
        self.presence = Reporter(lambda: self.beats.run_id, self._sightings)
        self.watchers = Watchers(self.serve, self.sweep.on_outstanding, self._on_closed)
        self.visitors = Batcher[str, sessions.Visitor | None](sessions.read_visitors, pool=database.reading)
        self.admissions = Batcher[admitting.AdmissionRequest, admitting.Admission](
            admitting.admit_all, pool=database.reading
        )
        attaching = Batcher[attach.Request, attach.Attached]
        self._attaching = attaching(attach.attach_all, pool=database.reading, max_items=ATTACHED_AT_ONCE)
        # Taking a timer over writes; a wait for the writer's lock must not hold up the other streams.
        self._attaching_timers = attaching(attach.attach_all, pool=database.writing, max_items=ATTACHED_AT_ONCE)
        self._comparing: asyncio.Task[None] | None = None
        self._to_compare: set[str] = set()
        self.loops = Loops()
        self._stopping: asyncio.Task[None] | None = None

    # --- Life -------------------------------------------------------------------------------------

    def start(self) -> None:
        hints.listen(self.hub.wake_from_thread)
        works: dict[str, Work] = {
            "hub": self.hub.run,
            "catch-up": self.catch_up.run,
            "tail": self.tail.run,
            "rights": self.people.run,
            "sweep": self.sweep.run,
            "admission-control": self.admission_control.run,
            "scheduler": scheduler.run,
            "ledger-news": self.ledger.news.run,
            "presence": self.presence.run,
            "presence-news": self.presence.news.run,
            "beats": self.beats.run,
        }
        if settings.FATHOM.redis_url:
            hub, tail, relay = self.hub, self.tail, self.relay
            works["hints"] = partial(layer_hints.receive, self.name, hub.wake, tail.look_soon, relay.take)
        for name, work in works.items():
            self.loops.start(name, work)

    async def stop(self) -> None:
        """End the loops of this node. Connections are closed by `drain` before."""
        hints.unlisten(self.hub.wake_from_thread)
        await self.loops.stop()
        if self._stopping is not None:
            self._stopping.cancel()
            await asyncio.gather(self._stopping, return_exceptions=True)

    async def finish(self) -> None:
        """Wait until what clients have been promised is durable."""
        await self.ledger.drain()
        await self.settlement.drain()
        await self.presence.withdraw()
        await self.beats.stop()

    async def drain(self, within_s: float) -> None:
        """Take nobody new, have everybody leave for other nodes, spread in time, and wait until nobody is here."""
        self.draining = Draining(self)
        self._stopping = self.loop.create_task(self.beats.stop())  # a database that hangs holds nobody here
        self.draining.begin(within_s * 1000)
        try:
            async with asyncio.timeout(within_s):
                await self.draining.finish()
        except TimeoutError:
            logger.info("some connections did not take in that this node is going away")

    # --- Connections ------------------------------------------------------------------------------

    def open(self, consumer: Member, send: Send) -> Connection:
        connection = Connection(send, self.watchers)
        self.consumers[connection] = consumer
        self.sweep.add(connection)
        metrics.connections.labels(consumer.stream.name).inc()
        return connection

    def attach(self, request: attach.Request) -> asyncio.Future[attach.Attached]:
        """Rights, topics, heads and perhaps a snapshot. Fails with TurnedAway."""
        batches = self._attaching_timers if request.stream.name is StreamName.TIMER else self._attaching
        return batches.submit(request)

    def refusal(self, address: str | None) -> Refusal | None:
        """Why a newcomer from `address` is not let in right now; None: let it in."""
        return REFUSAL if self.draining else self.admission_control.refusal(address)

    def identify(self, consumer: Member) -> None:
        """Its user is known."""
        self.people.add(consumer)

    def settle_identity(self, consumer: Member) -> None:
        """Its stream of its document is attached: an older connection of the same is superseded."""
        self.people.settle(consumer)

    def serve(self, connection: Connection) -> None:
        """Give `connection` what it has room for."""
        finish_replay(connection)
        if any(is_behind(each) for each in connection.subscriptions):
            self.catch_up.add(connection)

    def _sightings(self) -> Iterator[Sighting]:
        """Whose announcements are followed here, and whether what was written is taken in."""
        for connection, consumer in self.consumers.items():
            if consumer.stream.name is StreamName.ANNOUNCEMENTS and consumer.attached and consumer.visitor:
                key = (consumer.attached.admission.contest.pk, consumer.visitor.user_id)
                yield key, not connection.is_level or self.sweep.is_slow(connection)

    def look_for_lost_hints(self, keys: set[str]) -> None:
        """Compare what these topics were read up to with their heads, in the background, one look at a time."""
        self._to_compare.update(keys)
        if self._comparing is None or self._comparing.done():
            self._comparing = self.loop.create_task(self._compare())

    async def _compare(self) -> None:
        while self._to_compare:
            keys, self._to_compare = self._to_compare, set()
            try:
                metrics.lost_hints.inc(await self.hub.compare_with_heads(sorted(keys)))
            except Exception as error:
                logger.warning("heads cannot be compared: %s", error)

    def _resync(self, connection: Connection) -> None:
        consumer = self.consumers.get(connection)
        if consumer is not None:
            consumer.resync()

    def _on_closed(self, connection: Connection) -> None:
        """From here on nothing is read or remembered for it."""
        consumer = self.consumers.pop(connection, None)
        if consumer is not None:
            consumer.on_closed()
        self.catch_up.discard(connection)
        self.hub.unsubscribe(connection)
        self.sweep.discard(connection)
        if consumer is not None:
            self.people.discard(consumer)
            _count_close(consumer)
        if self.draining is not None:
            self.draining.on_closed()


def _count_close(consumer: Member) -> None:
    stream, connection = consumer.stream.name, consumer.connection
    code = "client" if connection.closed_with is None else str(int(connection.closed_with))
    metrics.connections.labels(stream).dec()
    metrics.closes.labels(stream, code).inc()
    metrics.durations.labels(stream).observe((now_ms() - connection.opened_ms) / 1000)


_node: Node | None = None


def is_draining() -> bool:
    """Whether this process takes nobody new any more. From any thread."""
    return _node is not None and _node.draining is not None


def failed_loops() -> tuple[str, ...]:
    """The loops of this process's node that do not run as they should. From any thread."""
    return _node.loops.failed if _node is not None else ()


def current_node() -> Node:
    """The node of the running event loop; it is started by whoever asks first (Daphne tells nobody when it starts)."""
    global _node
    loop = asyncio.get_running_loop()
    if _node is None or _node.loop is not loop:
        _node = Node()
        _node.start()
    return _node
