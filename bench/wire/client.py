"""One client: a small object instead of a task, so that one core carries more of them than any server does."""

from __future__ import annotations

import socket
from enum import Enum, auto
from typing import Protocol

SOURCES = 8
"""Loopback addresses that clients come from, so that ephemeral ports of one do not run out."""


class Phase(Enum):
    IDLE = auto()  # has no socket yet
    CONNECTING = auto()  # TCP
    UPGRADING = auto()  # the answer to the upgrade is awaited
    OPEN = auto()  # frames flow; not yet ready by the rules of its dialect
    READY = auto()  # what is being measured may be sent
    LOST = auto()  # cut, closed or refused


class Dialect(Protocol):
    """What is spoken over the socket."""

    def on_open(self, client: Client) -> None:
        """The upgrade was accepted."""

    def on_text(self, client: Client, payload: bytes, at_ns: int) -> None:
        """A text frame was read at `at_ns` on the monotonic clock."""


class Client:
    """`cursor` and `unseen` are the dialect's; `tries` counts sockets."""

    __slots__ = (
        "cursor",
        "dialect",
        "index",
        "json_frames",
        "opened_ns",
        "path",
        "phase",
        "ready_ns",
        "rest",
        "session",
        "sock",
        "tries",
        "unseen_bytes",
        "unseen_frames",
    )

    def __init__(self, index: int, dialect: Dialect, path: str, session: str = "") -> None:
        self.index = index
        self.dialect = dialect
        self.path = path
        self.session = session
        self.sock: socket.socket | None = None
        self.phase = Phase.IDLE
        self.rest = b""
        self.tries = 0
        self.opened_ns = self.ready_ns = 0
        self.cursor: dict[str, int] = {}
        self.json_frames = self.unseen_frames = self.unseen_bytes = 0

    @property
    def source(self) -> str:
        return f"127.0.0.{2 + self.index % SOURCES}"
