"""How long a client may take to say what it wants. The server program itself waits for ever.

The threat: who opens connections and says nothing, half a header or half a body holds a descriptor
with each. Slow answers are no matter of this: only what the client owes is timed.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEADERS_S = 10.0
"""From the connection, or from a further request's first byte, to the end of the request's headers."""
BODY_S = 60.0
"""Without any byte of a body that was announced. A phone that loses its network for a moment goes on."""


class TimedHttp(HttpToolsProtocol):
    """uvicorn's, which knows since when it waits for its client. Between requests uvicorn's keep-alive counts."""

    _headers_since_s: float | None = None
    """Since when headers are awaited; None: they are there, or the keep-alive counts."""
    _awaits_body = False
    _heard_s = 0.0

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._headers_since_s = self._heard_s = time.monotonic()

    def data_received(self, data: bytes) -> None:
        self._heard_s = time.monotonic()
        super().data_received(data)
        if self._headers_since_s is None and self._is_between_requests() and self.timeout_keep_alive_task is None:
            self._headers_since_s = self._heard_s  # empty lines have ended the keep-alive and begun no request

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self._headers_since_s is None:
            self._headers_since_s = self._heard_s

    def on_headers_complete(self) -> None:
        self._headers_since_s, self._awaits_body = None, True
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._awaits_body = False
        super().on_message_complete()

    def is_late(self, now_s: float) -> bool:
        """Whether the client owes something for too long."""
        if self._awaits_body:
            if self.flow.read_paused:  # it may have sent: the application has not asked for more
                self._heard_s = now_s
            return now_s - self._heard_s > BODY_S
        if self._headers_since_s is None or not self._is_between_requests():
            return False  # a request sent ahead of its turn waits for the answer before it
        return now_s - self._headers_since_s > HEADERS_S

    def give_up(self) -> None:
        """At once: whoever does not read either would keep the rest of an answer, and the descriptor, for ever."""
        self.transport.abort()

    def _is_between_requests(self) -> bool:
        return not self._awaits_body and (self.cycle is None or self.cycle.response_complete)


def give_up_the_late(connections: Iterable[object]) -> None:
    """One look at all of them, instead of a timer for each."""
    now_s = time.monotonic()
    late = [each for each in connections if isinstance(each, TimedHttp) and each.is_late(now_s)]
    for each in late:
        each.give_up()
