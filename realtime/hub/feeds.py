"""A feed: one topic as this process follows it, with the subscriptions that read it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from realtime.hub.connection import Subscription
from realtime.log.reading import Entry, Head
from realtime.wire import frames
from realtime.wire.frames import EventText
from realtime.wire.protocol import Cursor

Listener = Callable[[Sequence[Entry]], None]
"""Called for new events of a topic before they go out to connections."""


def short_name(key: str) -> str:
    """The name of topic `key` in frames; each key has one. See realtime.log.topics."""
    parts = key.split(".")
    if parts[0].startswith("r"):
        return "record"
    if len(parts) == 1:
        return "contest"
    return {"jury": "jury", "records": "all"}.get(parts[1], "me")


class Feed:
    """`level` is the number up to which this process has read; who was served up to it is level."""

    __slots__ = ("epoch", "key", "level", "listeners", "short", "subscriptions")

    def __init__(self, key: str, head: Head) -> None:
        self.key = key
        self.short = short_name(key)
        self.epoch = head.epoch
        self.level = head.seq
        self.subscriptions: dict[Subscription, None] = {}
        self.listeners: list[Listener] = []

    @property
    def is_used(self) -> bool:
        return bool(self.subscriptions or self.listeners)

    @property
    def cursor(self) -> Cursor:
        return Cursor(self.epoch, self.level)

    def continues_at(self, head: Head, after: int) -> bool:
        """Whether `head` is of the same log, and everything after number `after` is still in it."""
        return head.epoch == self.epoch and head.floor <= after <= head.seq

    def encode(self, entries: Sequence[Entry]) -> list[tuple[Entry, EventText]]:
        return [(each, frames.event(self.short, self.key, each.seq, each.name, each.data)) for each in entries]
