"""A client's end of one stream, whatever carries it: what came, how far it goes, and whether anything is missing.

The bookkeeping is the protocol's: an event is applied if its number is beyond the cursor, dropped as
a duplicate otherwise, and a gap if it continues from further than the cursor. Tests are stricter: what
carries their frames loses none, so an event continues from exactly where the one before it ended.
"""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from typing import Any, Self

Frame = dict[str, Any]

PATIENCE_S = 5.0
"""How long a frame may take on a slow machine before a test fails."""

SEEN_EVERY_FRAMES = 32
SEEN_EVERY_CHARS = 60_000


def hello(client: str = "document-1", **more: Any) -> Frame:
    return {"type": "hello", "protocol": 1, "client": client, "try": 0, "cause": "first", "gap_ms": 0} | more


class Closed(Exception):
    """The server closed; `code` says how."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Conversation(ABC):
    """`received` holds every JSON frame so far, `duplicates` the events among them that were known already.

    With `acknowledges` it sends `seen` as a browser does; without, it is a reader that gives no credit back.
    """

    def __init__(self, client: str, *, acknowledges: bool = False) -> None:
        self.client = client
        self.acknowledges = acknowledges
        self._unseen: list[int] = []
        self.received: list[Frame] = []
        self.duplicates: list[Frame] = []
        self.cursor: dict[str, Any] = {}

    # --- What carries it ---------------------------------------------------------------------------

    @abstractmethod
    async def send_text(self, text: str) -> None: ...

    @abstractmethod
    async def receive_text(self, timeout_s: float) -> str:
        """The next frame as it came. Raises Closed, or TimeoutError."""

    # --- Frames ------------------------------------------------------------------------------------

    async def send(self, frame: Frame | str) -> None:
        await self.send_text(frame if isinstance(frame, str) else json.dumps(frame))

    async def receive(self, timeout_s: float = PATIENCE_S) -> Frame | str:
        """The next frame; the bare words as they are. Raises Closed, or TimeoutError."""
        text = await self.receive_text(timeout_s)
        if text in ("ping", "pong"):
            return text
        frame = self.take(text)
        self._unseen.append(len(text))
        if self.acknowledges and (len(self._unseen) >= SEEN_EVERY_FRAMES or sum(self._unseen) >= SEEN_EVERY_CHARS):
            await self.acknowledge()
        return frame

    async def acknowledge(self) -> None:
        """Say how many frames were taken in."""
        self._unseen.clear()
        await self.send({"type": "seen", "frames": len(self.received)})

    def take(self, text: str) -> Frame:
        """Take in a JSON frame, as a client does it: an event moves its topic, a snapshot sets all topics."""
        frame: Frame = json.loads(text)
        self.received.append(frame)
        self._move_cursor(frame)
        return frame

    def _move_cursor(self, frame: Frame) -> None:
        if frame["type"] == "event":
            mark = self.cursor[frame["topic"]]
            if frame["seq"] > mark["seq"]:
                # Further would be a gap; less far would hide one if the frame before this were lost.
                assert frame["after"] == mark["seq"], f"{frame} does not continue from {mark}"
                self.cursor[frame["topic"]] = {**mark, "seq": frame["seq"]}
            else:
                self.duplicates.append(frame)
        elif frame["type"] == "snapshot":
            self.cursor = dict(frame["cursor"])
        elif frame["type"] == "synced":
            assert frame["cursor"] == self.cursor, "replay has told everything up to where it says that it ended"

    # --- Waiting -----------------------------------------------------------------------------------

    async def until(self, kind: str, name: str | None = None, timeout_s: float = PATIENCE_S) -> Frame:
        """Receive until a frame of this type (and event name) comes."""
        deadline = time.monotonic() + timeout_s
        while True:
            frame = await self.receive(max(0.01, deadline - time.monotonic()))
            if isinstance(frame, dict) and frame["type"] == kind and name in (None, frame.get("name")):
                return frame

    async def until_either(self, kind: str, event: str) -> Frame:
        """Receive until a frame of the type `kind` or the event `event` comes."""
        while True:
            frame = await self.receive()
            if isinstance(frame, dict) and (frame["type"] == kind or frame.get("name") == event):
                return frame

    async def until_seq(self, seq: int, topic: str = "contest", timeout_s: float = PATIENCE_S) -> None:
        """Receive until `topic` has been told up to `seq`."""
        deadline = time.monotonic() + timeout_s
        while self.cursor[topic]["seq"] < seq:
            await self.receive(max(0.01, deadline - time.monotonic()))

    async def until_closed(self, timeout_s: float = PATIENCE_S) -> int:
        try:
            while True:
                await self.receive(timeout_s)
        except Closed as closed:
            return closed.code

    # --- Talking -----------------------------------------------------------------------------------

    async def greet(self, **more: Any) -> Self:
        """Say hello and wait until synced; with `cursor`, from where a connection before this one was left."""
        if "cursor" in more:
            self.cursor = dict(more["cursor"])
        await self.send(hello(self.client, **more))
        await self.until("synced")
        return self

    async def command(self, client_seq: int, name: str, data: Frame, timeout_s: float = PATIENCE_S) -> Frame:
        """Send a command and wait for its reply."""
        await self.send({"type": "command", "client_seq": client_seq, "name": name, "data": data})
        while True:
            reply = await self.until("reply", timeout_s=timeout_s)
            if reply["client_seq"] == client_seq:
                return reply

    def events(self, name: str | None = None) -> list[Frame]:
        return [each for each in self.received if each["type"] == "event" and name in (None, each["name"])]
