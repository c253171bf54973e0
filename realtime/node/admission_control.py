"""Admission control of this node: whether a newcomer is let in at all, decided before anything is read for it.

Whoever is refused is accepted, told by a `retry` frame when to come back, and closed: a browser
cannot read the HTTP status of a handshake. Existing connections are served first; so while the
event loop is behind, nobody new adds to what it has to do.
"""

from __future__ import annotations

import asyncio
from typing import Any

from realtime import metrics
from realtime.clock import now_ms
from realtime.wire.admission import AttemptLimit, LagMeter, Turns
from realtime.wire.protocol import CloseCode, RetryCode

Refusal = tuple[RetryCode, str, int, CloseCode]

MEASURE_S = 0.05
RETURNS_A_SECOND = 1000
"""How many of those turned away by a lagging loop are called back a second: a third of what a node takes in well."""


class AdmissionControl:
    """`limits`: those of `settings.FATHOM`."""

    def __init__(self, limits: Any) -> None:
        self._lag_limit_ms = limits.loop_lag_ms
        self._lag = LagMeter()
        self._turns = Turns(RETURNS_A_SECOND)
        self._node = AttemptLimit(limits.node_attempts_per_s)
        self._addresses = AttemptLimit(limits.address_attempts_per_s)
        self._contests = AttemptLimit(limits.contest_attempts_per_s)

    async def run(self) -> None:
        """Measure the event loop's lag for ever: how late a short sleep ends."""
        while True:
            self._lag.expect(now_ms() + MEASURE_S * 1000)
            await asyncio.sleep(MEASURE_S)
            metrics.observe_loop_lag(self._lag.measure(now_ms()) / 1000)

    def refusal(self, address: str | None) -> Refusal | None:
        """Why a newcomer from `address` is not let in right now. Counts it as an attempt otherwise."""
        now = now_ms()
        if self._lag_limit_ms and self._lag.lag_ms(now) > self._lag_limit_ms:
            metrics.turned_away.labels("lag").inc()
            return RetryCode.OVERLOADED, "This server is very busy.", self._turns.next_in_ms(now), CloseCode.OVERLOADED
        # The address first: whoever floods from one must not use up what the node takes in from all.
        return self._over(self._addresses, "address", address, now) or self._over(self._node, "node", "", now)

    def refusal_in_contest(self, slug: str) -> Refusal | None:
        """The same for a contest, asked once the newcomer is known to be signed in: strangers must not use it up."""
        return self._over(self._contests, "contest", slug, now_ms())

    def _over(self, limit: AttemptLimit, kind: str, key: str | None, now: float) -> Refusal | None:
        if limit.admits(key, now):
            return None
        metrics.turned_away.labels(kind).inc()
        message = "Too many connections are being opened."
        return RetryCode.TOO_MANY, message, limit.returns_in_ms(key, now), CloseCode.TOO_MANY
