"""Foreground time by lease, and the contest's clock."""

from __future__ import annotations

from realtime import streams
from realtime.consumers.base import StreamConsumer
from realtime.consumers.commands import Arrived, Data, Handler
from realtime.entry.attach import Attached
from realtime.timer.rows import Session
from realtime.timer.settlement import Fenced, Pending, Result
from realtime.wire import frames
from realtime.wire.protocol import CloseCode, boolean, integer


def _read_report(data: Data) -> tuple[bool, int]:
    return boolean(data, "foreground"), integer(data, "foreground_ms")


class Timer(StreamConsumer):
    stream = streams.TIMER
    session: Session
    cause: str
    """Why this connection was made; told with its first report."""

    def on_attached(self, attached: Attached) -> None:
        assert attached.timer is not None
        assert self.hello is not None
        self.session = attached.timer
        self.cause = self.hello.cause

    async def _report(self, arrived: Arrived) -> Data:
        foreground, foreground_ms = arrived.data
        cause, self.cause = self.cause, ""
        pending = Pending(self.session, arrived.client_seq, foreground, foreground_ms, arrived.arrived_ms, cause)
        try:
            result = await self.node.settlement.report(pending)
        except Fenced:
            self.connection.close(CloseCode.SUPERSEDED)
            raise
        self._tell_other_pages(result)
        return {
            "accumulated_ms": result.accumulated_ms,
            "as_of": result.as_of_ms / 1000,
            "counting": result.is_counting,
        }

    def _tell_other_pages(self, result: Result) -> None:
        """Other pages of the same contestant on this node show the same total."""
        lease_ms = self.node.client_timings["lease_ms"]
        frame = frames.timer(
            accumulated_ms=result.accumulated_ms,
            as_of=result.as_of_ms / 1000,
            counting=result.is_counting,
            lease_expires_at=(result.as_of_ms + lease_ms) / 1000 if result.is_counting else None,
        )
        for other in self.node.people.of_user(self.user.pk):
            if other is not self and isinstance(other, Timer) and other.is_synced_in(self.contest_id):
                other.connection.send(frame)

    def is_synced_in(self, contest_id: int | None) -> bool:
        return self.contest_id == contest_id and self.connection.is_synced

    commands = {"report": Handler(_read_report, _report)}
