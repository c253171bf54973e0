"""One record with its test cases, live; it ends half a minute after the final state, and says so."""

from __future__ import annotations

import json
from typing import Any

from realtime import streams
from realtime.consumers.base import StreamConsumer
from realtime.entry.attach import FINISHED_AFTER, Attached
from realtime.hub.connection import State
from realtime.log.reading import Entry
from realtime.wire.protocol import CloseCode, EndCode

LOOK_AGAIN_MS = 500.0
FINISHED_AFTER_MS = FINISHED_AFTER.total_seconds() * 1000


class OneRecord(StreamConsumer):
    stream = streams.RECORD
    finals = 0
    """How often the end was put off or on: an end that was planned before the last change is off."""

    def on_attached(self, attached: Attached) -> None:
        self.connection.observe = self._observe
        self.finals += 1
        if attached.finishes_in_ms is not None:
            self._finish_in(attached.finishes_in_ms)

    def _observe(self, entry: Entry) -> None:
        if entry.name != "record.updated":
            return
        record: dict[str, Any] = json.loads(entry.data)
        self.finals += 1  # reopened: it goes on
        if record["status"] == "final":
            self._finish_in(FINISHED_AFTER_MS)

    def _finish_in(self, delay_ms: float) -> None:
        planned = self.finals
        self.node.sweep.call_later(delay_ms, lambda: self._finish(planned))

    def _finish(self, planned: int) -> None:
        """Ends the stream, once all of it is told: a page that comes when it is long final may have much to replay."""
        if planned != self.finals or not self.connection.is_open:
            return
        if self.connection.state is not State.LIVE or not self.connection.is_level:
            self.node.sweep.call_later(LOOK_AGAIN_MS, lambda: self._finish(planned))
        else:
            self.connection.end(EndCode.FINISHED, "This record is final.", CloseCode.FINISHED)
