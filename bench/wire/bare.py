"""What peers speak: ready when accepted, and every text frame is a delivery."""

from __future__ import annotations

from collections.abc import Callable

from bench.wire.client import Client
from bench.wire.crowd import Crowd

OnDelivery = Callable[[int], None]


class Bare:
    """`on_delivery` is told the monotonic nanoseconds of each frame."""

    def __init__(self, crowd: Crowd, on_delivery: OnDelivery) -> None:
        self._crowd = crowd
        self._on_delivery = on_delivery

    def on_open(self, client: Client) -> None:
        self._crowd.ready(client)

    def on_text(self, client: Client, payload: bytes, at_ns: int) -> None:
        self._on_delivery(at_ns)
