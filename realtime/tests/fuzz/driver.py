"""Drives the application as a server program does, without sockets: fast enough for a hundred thousand frames."""

from __future__ import annotations

import asyncio
import json
from collections import Counter

from django.conf import settings

from realtime.routing import application
from realtime.tests.clients import ORIGIN
from realtime.tests.fuzz.grammar import Grammar, Json, Kind, Made

DOCUMENTED = frozenset({4000, 4001, 4002, 4003, 4004, 4005, 4006, 4009, 4100, 4101, 4102, 4103, 4111, 4112, 4113, 4129})
CLIENTS_FAULT = frozenset({4005, 4006, 4009})
SETTLE_S = 60.0
"""All connections together have some thousand commands waiting, for a machine that does something else, too."""
FULL = "Too many commands are waiting."


class Told:
    """What all connections together were told."""

    def __init__(self) -> None:
        self.frames = 0
        self.kinds: Counter[str] = Counter()
        self.closes: Counter[int] = Counter()
        self.replies: Counter[str] = Counter()
        """By outcome; `full` were refused before any handler."""
        self.wrong: list[str] = []


class Driven:
    """One connection. `closed_with` is set as soon as the server has closed."""

    def __init__(self, path: str, session_key: str, told: Told) -> None:
        headers = [(b"host", b"localhost:8000"), (b"origin", ORIGIN)]
        if session_key:
            headers.append((b"cookie", f"{settings.SESSION_COOKIE_NAME}={session_key}".encode()))
        self._scope = {"type": "websocket", "path": path, "headers": headers, "client": ("127.0.0.1", 1)}
        self._told = told
        self._incoming: asyncio.Queue[Json] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None
        self.closed_with: int | None = None
        self.last: Json = {}
        self.cursor: Json | None = None
        self.is_synced = asyncio.Event()
        self._has_said = asyncio.Event()
        self.unanswered = 0

    async def open(self) -> None:
        self._incoming.put_nowait({"type": "websocket.connect"})
        self._task = asyncio.get_running_loop().create_task(application(self._scope, self._incoming.get, self._send))
        await asyncio.sleep(0)

    async def _send(self, message: Json) -> None:
        if message["type"] == "websocket.close":
            self.closed_with = message["code"]
            self._told.closes[message["code"]] += 1
            self.is_synced.set()
            self._has_said.set()
        elif message["type"] == "websocket.send" and message["text"] not in ("ping", "pong"):
            self._take(json.loads(message["text"]))

    def _take(self, frame: Json) -> None:
        self.last = frame
        if frame["type"] == "reply":
            self.unanswered -= 1
            self._has_said.set()
            is_full = not frame["ok"] and frame["error"]["message"] == FULL
            self._told.replies["ok" if frame["ok"] else "full" if is_full else frame["error"]["code"]] += 1
        elif frame["type"] == "synced":
            self.cursor = frame["cursor"]
            self.is_synced.set()

    async def feed(self, made: Made) -> None:
        """Give it one frame, and judge whether it had to end the connection."""
        message: Json = {"type": "websocket.receive"}
        message["text" if isinstance(made.data, str) else "bytes"] = made.data
        self._incoming.put_nowait(message)
        self._told.frames += 1
        self.unanswered += made.is_command
        self._told.kinds[made.kind.value] += 1
        for _ in range(3):  # turns of the loop: it is handed over, taken, and judged
            await asyncio.sleep(0)
        assert self._incoming.empty()
        self._judge(made)

    def _judge(self, made: Made) -> None:
        code = self.closed_with
        is_fault = code in CLIENTS_FAULT
        if code is not None and code not in DOCUMENTED:
            self._told.wrong.append(f"closed with {code}")
        said = "old-client" if code == 4005 else "bad-request"
        if is_fault and (self.last.get("type"), self.last.get("code")) != ("end", said):
            self._told.wrong.append(f"{code} without a word: {self.last}")
        if made.kind is Kind.RIGHT and is_fault:
            self._told.wrong.append(f"{code} for the right frame {made.data[:200]!r}: {self.last}")
        if made.kind is Kind.BROKEN and code is None:
            self._told.wrong.append(f"nothing for the broken frame {made.data[:200]!r}")

    async def until_synced(self) -> None:
        """Until it is live, or was closed."""
        try:
            await asyncio.wait_for(self.is_synced.wait(), SETTLE_S)
        except TimeoutError:
            raise AssertionError(f"{self._scope['path']} was neither served nor closed; last {self.last}") from None

    async def answers(self) -> None:
        """Until every command so far has its reply, if the connection lives that long."""
        while self.unanswered > 0 and self.closed_with is None and self.is_synced.is_set():
            self._has_said.clear()
            try:
                await asyncio.wait_for(self._has_said.wait(), SETTLE_S)
            except TimeoutError:
                where = self._scope["path"]
                raise AssertionError(f"{self.unanswered} commands without a reply on {where}") from None

    async def close(self) -> None:
        """The client goes; the application must end by itself."""
        assert self._task is not None
        self._incoming.put_nowait({"type": "websocket.disconnect", "code": 1005})
        await asyncio.wait_for(self._task, SETTLE_S)


class Crowd:
    """Where the connections of a run come from and go to."""

    def __init__(self, told: Told, sessions: dict[str, str], record: int) -> None:
        self.told = told
        self.sessions = sessions
        self.record = record
        self.cursors: dict[tuple[str, str], Json] = {}

    def path(self, stream: str) -> str:
        return f"/ws/records/{self.record}" if stream == "record" else f"/ws/contests/cup/{stream}"

    async def one(self, grammar: Grammar, client: str, frames: int) -> None:
        """One connection from its handshake to its end, with at most `frames` frames."""
        rng, stream = grammar.rng, grammar.stream
        who = rng.choices(["alice", "grace", "mallory", ""], weights=[80, 10, 5, 5])[0]
        driven = Driven(self.path(stream), self.sessions.get(who, ""), self.told)
        await driven.open()
        if rng.random() < 0.1:
            await self._before_hello(driven, grammar)
        if driven.closed_with is None:
            cursor = self.cursors.get((who, stream)) if rng.random() < 0.8 else None
            await driven.feed(Made(Kind.RIGHT, grammar.hello(client, cursor)))
            if rng.random() < 0.7:
                await driven.until_synced()
        for _ in range(frames):
            if driven.closed_with is not None:
                break
            made = grammar.frame()
            await driven.feed(made)
            if made.leaves:
                break
            if rng.random() < 0.013:
                await driven.answers()
        if driven.cursor is not None:
            self.cursors[who, stream] = driven.cursor
        await driven.close()

    async def _before_hello(self, driven: Driven, grammar: Grammar) -> None:
        if grammar.rng.random() < 0.5:
            await driven.feed(Made(Kind.RIGHT, "ping"))
        elif grammar.rng.random() < 0.7:
            await driven.feed(grammar.broken(is_greeted=False))
        else:
            await driven.feed(Made(Kind.ODD, grammar.hello("odd", None).replace('"protocol": 1', '"protocol": 2')))
