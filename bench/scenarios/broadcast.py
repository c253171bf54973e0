"""One broadcast to many clients, measured from its cause to the last of them and on until the server rests."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from bench.stage.usage import Meter
from bench.wire.crowd import Crowd

PATIENCE_S = 20.0
ACKNOWLEDGED_AFTER_S = 1.3
"""Clients acknowledge what they took in within a second; that belongs to the cost."""


class Audience:
    """Counts the deliveries of one broadcast. `size` clients are to have it."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.reset()

    def reset(self) -> None:
        self.count = 0
        self.first_ns = self.last_ns = 0

    def on_delivery(self, at_ns: int) -> None:
        self.first_ns = self.first_ns or at_ns
        self.last_ns = at_ns
        self.count += 1


@dataclass(frozen=True)
class Sample:
    """`last_ms` runs from the cause, `spread_ms` from the first client to the last."""

    last_ms: float
    spread_ms: float
    cpu_s_per_10k: float
    cpu_s_per_10k_in_all: float
    own_share: float
    lost: int


def measure(crowd: Crowd, pid: int, audience: Audience, cause: Callable[[], object]) -> Sample:
    """Let `cause` bring about one broadcast by the server `pid`, and follow it to its end."""
    audience.reset()
    meter = Meter(pid)
    began_ns = time.monotonic_ns()
    cause()
    crowd.run_until(lambda: audience.count >= audience.size, PATIENCE_S)
    to_last_s, own_share = meter.server_s, meter.own_share
    crowd.run_for(ACKNOWLEDGED_AFTER_S)
    meter.wait_until_idle(crowd.run_for)
    per_10k = 10_000 / max(1, audience.count)
    return Sample(
        last_ms=(audience.last_ns - began_ns) / 1e6,
        spread_ms=(audience.last_ns - audience.first_ns) / 1e6,
        cpu_s_per_10k=to_last_s * per_10k,
        cpu_s_per_10k_in_all=meter.server_s * per_10k,
        own_share=own_share,
        lost=audience.size - audience.count,
    )
