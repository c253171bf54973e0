"""Pages as browsers keep them: they reconnect as the protocol says, and repeat what was answered busy."""

from __future__ import annotations

import asyncio
import random
import time
from contextlib import suppress
from typing import Any

from websockets.exceptions import InvalidHandshake

from realtime.tests.conversation import Closed, Frame, hello
from realtime.tests.wire.sockets import Door, Socket

TERMINAL = {1002, 1003, 1007, 1008, 1009, *range(4000, 4100)}
BACK_OFF_FIRST_S, BACK_OFF_MAX_S = 0.5, 4.0
HANDSHAKE_S = 15.0
"""Longer than the server's own wait for its database, so that what it answers then is seen."""


class Page:
    """One stream of one document over all its connections. `cuts` are close codes with the time of each."""

    def __init__(self, door: Door, who: str, stream: str, client: str) -> None:
        self.door = door
        self.who = who
        self.stream = stream
        self.client = client
        self.cursor: dict[str, Any] | None = None
        self.live = asyncio.Event()
        self.cuts: list[tuple[float, int]] = []
        self.frames: list[Frame] = []
        self.busy = 0
        self.failures: list[str] = []
        self._socket: Socket | None = None
        self._client_seq = 0
        self._replies: dict[int, asyncio.Future[Frame]] = {}
        self._tries = 0
        self._retry_after_s: float | None = None
        self._running = asyncio.create_task(self._run())

    # --- Connections -------------------------------------------------------------------------------

    async def _run(self) -> None:
        while True:
            code = await self._connect_once()
            self.live.clear()
            self._socket = None
            self.cuts.append((time.monotonic(), code))
            for future in self._replies.values():
                if not future.done():
                    future.set_exception(ConnectionError("cut off"))
                    future.exception()  # nobody may be waiting for it
            self._replies.clear()
            if code in TERMINAL:
                return
            await asyncio.sleep(self._pause_s())

    def _pause_s(self) -> float:
        """Full jitter, or what the server said."""
        told, self._retry_after_s = self._retry_after_s, None
        self._tries += 1
        back_off_s = min(BACK_OFF_MAX_S, BACK_OFF_FIRST_S * 2**self._tries)
        return told if told is not None else random.uniform(0.1, back_off_s)

    async def _connect_once(self) -> int:
        """One connection from its handshake to its end; how it was closed. 1006: no answer, or none in time."""
        try:
            async with asyncio.timeout(HANDSHAKE_S):
                socket = await self.door.open(self.who, self.stream, client=self.client)
        except (OSError, TimeoutError, InvalidHandshake):
            return 1006
        socket.acknowledges = True
        more = {"try": self._tries} | ({} if self.cursor is None else {"cursor": self.cursor})
        if self.cursor is not None:
            socket.cursor = dict(self.cursor)
        await socket.send(hello(self.client, **more))
        acknowledging = asyncio.create_task(self._acknowledge(socket))
        try:
            return await self._listen(socket)
        except AssertionError as error:
            self.failures.append(str(error))
            return 4000
        finally:
            acknowledging.cancel()
            await socket.connection.close()

    async def _listen(self, socket: Socket) -> int:
        patience_s = HANDSHAKE_S
        while True:
            try:
                frame = await socket.receive(patience_s)
            except Closed as closed:
                return closed.code
            except TimeoutError:
                return 1006
            if frame == "ping":
                await socket.send("pong")
            elif isinstance(frame, dict):
                self.cursor = dict(socket.cursor) if socket.cursor or frame["type"] == "snapshot" else self.cursor
                if frame["type"] == "synced":
                    self._socket, self._tries, patience_s = socket, 0, 3600.0
                    self.live.set()
                self._take(frame)

    async def _acknowledge(self, socket: Socket) -> None:
        while True:
            await asyncio.sleep(1)
            await socket.acknowledge()

    def _take(self, frame: Frame) -> None:
        self.frames.append(frame)
        if frame["type"] == "reply":
            future = self._replies.pop(frame["client_seq"], None)
            if future is not None and not future.done():
                future.set_result(frame)
        elif frame["type"] == "retry":
            self._retry_after_s = frame["retry_after_ms"] / 1000
        else:
            self.on_frame(frame)

    def on_frame(self, frame: Frame) -> None:
        """For subclasses: snapshots and events."""

    # --- Commands ----------------------------------------------------------------------------------

    async def try_command(self, name: str, data: Frame, client_seq: int | None = None) -> Frame:
        """Send once and wait for the answer. Raises ConnectionError when it was cut off meanwhile."""
        await self.live.wait()
        assert self._socket is not None
        if client_seq is None:
            client_seq = self.next_seq()
        self._replies[client_seq] = asyncio.get_running_loop().create_future()
        await self._socket.send({"type": "command", "client_seq": client_seq, "name": name, "data": data})
        return await self._replies[client_seq]

    def next_seq(self) -> int:
        self._client_seq += 1
        return self._client_seq

    async def command(self, name: str, data: Frame) -> Frame:
        """Send until it is done: again after `busy` and after a reconnect, with the same number."""
        client_seq = self.next_seq()
        while True:
            with suppress(ConnectionError):
                reply = await self.try_command(name, data, client_seq)
                if reply["ok"]:
                    return reply
                assert reply["error"]["code"] == "busy", reply
                self.busy += 1
                await asyncio.sleep(reply["error"]["retry_after_ms"] / 1000)

    async def close(self) -> None:
        self._running.cancel()
        with suppress(asyncio.CancelledError):
            await self._running


class NoticesPage(Page):
    """Shows notices and confirms each at once. `shown_s` is when each was first shown."""

    def __init__(self, door: Door, who: str, client: str) -> None:
        super().__init__(door, who, "announcements", client)
        self.shown_s: dict[int, float] = {}
        self.told_twice: list[int] = []
        self._confirming: set[asyncio.Task[Frame]] = set()

    def on_frame(self, frame: Frame) -> None:
        if frame["type"] == "snapshot":
            for notice in frame["data"]["notices"]:
                self._show(notice["id"])
        elif frame.get("name") == "announcement.posted":
            if frame["data"]["id"] in self.shown_s:
                self.told_twice.append(frame["data"]["id"])
            self._show(frame["data"]["id"])

    def _show(self, notice_id: int) -> None:
        if notice_id in self.shown_s:
            return
        self.shown_s[notice_id] = time.monotonic()
        confirm = self.command("ack", {"notices": [{"id": notice_id, "version": 1}]})
        task = asyncio.create_task(confirm)
        self._confirming.add(task)

    async def confirmed(self) -> None:
        await asyncio.gather(*self._confirming)


class RecordsPage(Page):
    """The list: the newest state of each record by its version."""

    def __init__(self, door: Door, who: str, client: str) -> None:
        super().__init__(door, who, "records", client)
        self.records: dict[int, Frame] = {}

    def on_frame(self, frame: Frame) -> None:
        if frame["type"] == "snapshot":
            self.records = {record["id"]: record for record in frame["data"]["records"]}
        elif frame.get("name") == "record.updated":
            record = frame["data"]
            if record["version"] > self.records.get(record["id"], {"version": -1})["version"]:
                self.records[record["id"]] = record


class RecordPage(Page):
    """One record with its cases; a new attempt begins with none."""

    def __init__(self, door: Door, who: str, record_id: int, client: str) -> None:
        super().__init__(door, who, f"/ws/records/{record_id}", client)
        self.record: Frame = {"version": -1}
        self.cases: dict[int, str] = {}

    def on_frame(self, frame: Frame) -> None:
        if frame["type"] == "snapshot":
            self.record = frame["data"]["record"]
            self.cases = {case["index"]: case["verdict"] for case in frame["data"]["cases"]}
        elif frame.get("name") == "case.finished":
            self.cases[frame["data"]["index"]] = frame["data"]["verdict"]
        elif frame.get("name") == "record.updated" and frame["data"]["version"] > self.record["version"]:
            self.record = frame["data"]
            if self.record["status"] in ("queued", "compiling"):
                self.cases = {}


class SelfTestPage(Page):
    """A run with its output; given back to the queue it begins anew."""

    def __init__(self, door: Door, who: str, client: str) -> None:
        super().__init__(door, who, "selftest", client)
        self.output = ""
        self.finished: Frame | None = None

    def on_frame(self, frame: Frame) -> None:
        if frame["type"] == "snapshot":
            self.output = "".join(chunk["text"] for chunk in frame["data"]["output"])
            run = frame["data"]["run"]
            self.finished = run if run is not None and run["status"] == "final" else None
        elif frame.get("name") in ("run.queued", "run.compiling"):
            self.output = ""
        elif frame.get("name") == "run.output":
            self.output += frame["data"]["text"]
        elif frame.get("name") == "run.finished":
            self.finished = frame["data"]


class TimerPage(Page):
    """In the foreground all the time, and reporting so every second. A report is never sent again."""

    def __init__(self, door: Door, who: str, client: str) -> None:
        super().__init__(door, who, "timer", client)
        self.refused: set[str] = set()
        self.began_s: float | None = None
        self._reports: set[asyncio.Task[None]] = set()
        self._reporting = asyncio.create_task(self._report_on())

    async def _report_on(self) -> None:
        while True:
            await self.live.wait()
            task = asyncio.create_task(self._report())
            self._reports.add(task)
            task.add_done_callback(self._reports.discard)
            await asyncio.sleep(1)

    def _data(self) -> Frame:
        if self.began_s is None:
            self.began_s = time.monotonic()
        return {"foreground": True, "foreground_ms": round((time.monotonic() - self.began_s) * 1000)}

    async def _report(self) -> None:
        with suppress(ConnectionError):
            reply = await self.try_command("report", self._data())
            if not reply["ok"]:
                self.refused.add(reply["error"]["code"])

    async def settle(self) -> tuple[int, int]:
        """A last report: the foreground time that this page has counted, and what the site has credited of it."""
        self._reporting.cancel()
        while True:
            data = self._data()
            reply = await self.try_command("report", data)
            if reply["ok"]:
                return data["foreground_ms"], reply["data"]["accumulated_ms"]
            await asyncio.sleep(1)

    async def close(self) -> None:
        self._reporting.cancel()
        await super().close()
