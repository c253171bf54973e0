"""The log of connections: one line when one is attached and one when it ends, with what is known of it.

People and sessions appear as digests under the site's secret, so lines of one person can be found
together and nobody is named. Never in it: tokens, cookies, what people write.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from django.utils.crypto import salted_hmac

from realtime.clock import now_ms
from realtime.metrics import known_cause
from realtime.wire.admission import AttemptLimit

if TYPE_CHECKING:
    from realtime.consumers.base import StreamConsumer

logger = logging.getLogger("realtime.connections")

LINES_A_SECOND = 100
"""In the long run; ten seconds' worth at once. A herd must not be delayed by what is written about it: how many
lines were left out, the next one says."""


def masked(kind: str, value: object) -> str:
    """What stands for a person or a session in a log: the same on every node, and of no use elsewhere."""
    return salted_hmac("fathom.log", f"{kind}:{value}").hexdigest()[:12]


def facts(consumer: StreamConsumer) -> dict[str, Any]:
    """What is known of a connection, for `extra={"fathom": …}` of a log line."""
    known: dict[str, Any] = {"stream": consumer.stream.name.value, "target": consumer.target}
    if consumer.visitor is not None:
        known |= {
            "user": masked("user", consumer.visitor.user_id),
            "session": masked("session", consumer.visitor.session_digest),
        }
    if consumer.hello is not None:
        hello = consumer.hello
        known |= {"client": hello.client, "attempt": hello.attempt, "cause": known_cause(hello.cause)}
    known["cursor"] = {each.short: each.position for each in consumer.connection.subscriptions}
    return known


class Journal:
    def __init__(self, lines_per_s: int = LINES_A_SECOND) -> None:
        self._limit = AttemptLimit(lines_per_s)
        self._left_out = 0

    def attached(self, consumer: StreamConsumer, *, resumed: bool) -> None:
        self._write("attached", consumer, resumed=resumed)

    def ended(self, consumer: StreamConsumer) -> None:
        connection, now = consumer.connection, now_ms()
        code = connection.closed_with
        self._write(
            "ended",
            consumer,
            code=None if code is None else int(code),
            lived_s=round((now - connection.opened_ms) / 1000, 3),
            silent_ms=round(now - connection.heard_ms),
            outstanding=len(connection.credit.sizes),
        )

    def _write(self, words: str, consumer: StreamConsumer, **more: Any) -> None:
        if not logger.isEnabledFor(logging.INFO):
            return
        if not self._limit.admits("", now_ms()):
            self._left_out += 1
            return
        if self._left_out:
            more["left_out_before"], self._left_out = self._left_out, 0
        logger.info(words, extra={"fathom": facts(consumer) | more})


journal = Journal()
