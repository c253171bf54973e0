"""What the node asks of whoever holds a connection, so that it need not know the streams themselves."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

from realtime.entry.admitting import TurnedAway
from realtime.entry.attach import Attached, Rechecked, Request
from realtime.entry.sessions import Visitor
from realtime.hub.connection import Connection
from realtime.streams import Stream
from realtime.wire.protocol import Cursor


class Member(Protocol):
    """One socket of one stream; implemented by `realtime.consumers.base.StreamConsumer`."""

    stream: ClassVar[Stream]
    connection: Connection
    visitor: Visitor | None
    attached: Attached | None
    must_recheck: bool
    """Its rights may have changed while it was being attached."""
    rechecks: int
    """How many answers about its rights are still awaited."""

    @property
    def document(self) -> tuple[Any, ...]:
        """The same for two connections of which the newer one supersedes the older one."""

    @property
    def contest_id(self) -> int | None: ...

    @property
    def session_digest(self) -> str | None: ...

    @property
    def is_attaching(self) -> bool: ...

    def hear(self, text: str) -> None:
        """A frame of its document that came by a request."""

    def steer(self, name: str, data: dict[str, Any]) -> None:
        """A command of its document that was done elsewhere and concerns what is sent here."""

    def has_expired(self) -> bool: ...

    def request(self, cursor: dict[str, Cursor] | None) -> Request: ...

    def resync(self) -> None: ...

    def on_rechecked(self, rechecked: Rechecked) -> None: ...

    def turn_away(self, turned_away: TurnedAway) -> None: ...

    def on_closed(self) -> None: ...
