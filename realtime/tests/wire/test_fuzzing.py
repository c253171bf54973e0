"""Raw bytes over real sockets: what server program and application make of them, and that nobody else notices."""

from __future__ import annotations

import asyncio
import json
import os
import struct
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from realtime.tests.clients import eventually, hello
from realtime.tests.fuzz.driver import DOCUMENTED
from realtime.tests.fuzz.grammar import STREAMS, Grammar, Kind
from realtime.tests.wire.raw import BINARY, CLOSE, CONTINUATION, LOST, PING, PONG, TEXT, Raw, frame
from realtime.tests.wire.sockets import Door
from realtime.tests.wire.stage import SLUG, Stage
from tools.site_process import SiteProcess

SEED = int(os.environ.get("FATHOM_TEST_SEED", "7"))
FRAMES = 400 if os.environ.get("FATHOM_TEST_SHAPE") == "scaled" else 2000
AT_ONCE = 16
LATE_S = 2.0
CLOSES_IN_S = 20.0
ESTABLISHED = "01"
GROWTH_LIMIT_KB = 24 * 1024
GOODBYES = (1000, 1001, 3000, 4999)
OF_THE_SERVER_PROGRAM = {1002, 1005, 1007, 1009, LOST, *GOODBYES}
"""Its answers to what is no WebSocket, and to a client's own close, which it repeats."""


class Bytes:
    """Byte strings that are no right sequence of frames, and right ones cut into pieces."""

    def __init__(self, rng: Random, grammar: Grammar) -> None:
        self.rng = rng
        self.grammar = grammar

    def broken(self) -> bytes:
        """Ends the connection, whatever came before it."""
        rng, text = self.rng, b'{"type":"seen","frames":1}'
        ways: list[Callable[[], bytes]] = [
            lambda: frame(TEXT, text, reserved=rng.choice([1, 2, 4, 7])),
            lambda: frame(TEXT, text, masked=False),
            lambda: frame(rng.choice([3, 4, 7, 11, 15]), text),
            lambda: frame(CONTINUATION, text),
            lambda: frame(TEXT, text[:5], fin=False) + frame(TEXT, text[5:]),
            lambda: frame(PING, b"x" * 126),
            lambda: frame(PING, b"x", fin=False),
            lambda: frame(TEXT, b"x", length=2**63 + 5),
            lambda: frame(TEXT, b"x" * 100, length=3 * 1024 * 1024),
            lambda: frame(
                TEXT, rng.choice([b"\xff\xfe", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf5\x80\x80\x80", b"a\xe2\x82"])
            ),
            lambda: frame(TEXT, b'{"a":"\xe2', fin=False) + frame(CONTINUATION, b"\x28\xa1"),
            lambda: frame(
                CLOSE, rng.choice([b"", b"\x03", struct.pack(">H", 1005), struct.pack(">H", 99), b"\x03\xe8\xff"])
            ),
            lambda: frame(CLOSE, struct.pack(">H", rng.choice(GOODBYES))),
            lambda: frame(BINARY, bytes(rng.randrange(256) for _ in range(50))),
            lambda: b"\xff" * 20,
            lambda: b"GET / HTTP/1.1\r\n\r\n",
        ]
        return rng.choice(ways)()

    def right(self) -> bytes:
        """A frame of the contract, whole or in pieces, with control frames between them."""
        made = self.grammar.frame()
        data = made.data.encode() if isinstance(made.data, str) and made.kind is Kind.RIGHT else b"ping"
        if self.rng.random() < 0.5 or len(data) > 60_000:
            return frame(TEXT, data)
        cut = self.rng.randrange(len(data) + 1)
        between = self.rng.choice([b"", frame(PING, b"x" * 125), frame(PONG, b""), frame(CONTINUATION, b"", fin=False)])
        return frame(TEXT, data[:cut], fin=False) + between + frame(CONTINUATION, data[cut:])


class Fuzzing:
    def __init__(self, door: Door, record: int) -> None:
        self._door = door
        self._record = record
        self.frames = self.synced = 0
        self.closes: Counter[int] = Counter()
        self.statuses: Counter[int] = Counter()

    async def connect_again_and_again(self, rng: Random) -> None:
        while self.frames < FRAMES:
            raw = await Raw.open(self._door.port)
            try:
                await self._one(raw, rng)
            finally:
                raw.close()

    async def _one(self, raw: Raw, rng: Random) -> None:
        stream = rng.choice(STREAMS)
        path = f"/ws/records/{self._record}" if stream == "record" else f"/ws/contests/{SLUG}/{stream}"
        if rng.random() < 0.1:
            await self._bad_handshake(raw, rng, path)
            return
        self.statuses[await raw.shake(path, self._door.sessions["fuzzed"])] += 1
        made = Bytes(rng, Grammar(rng, stream, [(1, 1)], [self._record]))
        if rng.random() < 0.8:
            raw.write(frame(TEXT, json.dumps(hello(f"raw-{rng.randrange(10**6)}")).encode()))
            if rng.random() < 0.7 and await raw.synced(CLOSES_IN_S):
                self.synced += 1
            for _ in range(rng.randrange(8)):
                self._write(raw, made.right())
        last = made.broken()
        self._write(raw, last)
        try:
            self.closes[await raw.closed_with(CLOSES_IN_S)] += 1
        except TimeoutError:
            raise AssertionError(f"{stream} stays open after {last[:200]!r}") from None

    def _write(self, raw: Raw, data: bytes) -> None:
        self.frames += 1
        raw.write(data)

    async def _bad_handshake(self, raw: Raw, rng: Random, path: str) -> None:
        self.frames += 1
        changed = rng.choice(
            [
                {"Sec-WebSocket-Version": "12"},
                {"Sec-WebSocket-Key": "short"},
                {"Upgrade": "nonsense"},
                {"Cookie": "sessionid=" + "ä" * 50},
                {"Cookie": "=;;;sessionid=\x01"},
                {"Origin": "http://["},
                {"X-Long": "x" * 70_000},
                {"Sec-WebSocket-Protocol": "a, b"},
                {"Host": "nowhere.example"},
            ]
        )
        self.statuses[
            await raw.shake(rng.choice([path, path + "?%zz&token=x", "/ws/%00", "/ws/" + "a" * 3000]), "", **changed)
        ] += 1


def _memory_kb(site: SiteProcess) -> int:
    assert site.process is not None
    status = Path(f"/proc/{site.process.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0])


def _sockets(site: SiteProcess) -> int:
    """Those of clients; connections to a database are opened by each thread when it needs one, and stay."""
    assert site.process is not None
    port = f":{site.port:04X}"
    lines = Path("/proc/net/tcp").read_text().splitlines()
    return sum(port in line.split()[1] and line.split()[3] == ESTABLISHED for line in lines[1:])


@pytest.mark.parametrize("seed", [SEED], ids=lambda seed: f"seed-{seed}")
async def test_raw_bytes_end_in_a_documented_way_and_touch_no_neighbour(
    site: SiteProcess, door: Door, stage: Stage, seed: int
) -> None:
    session, record = stage("enroll", f"fuzzed-{seed}")
    own = Door(door.port, {"fuzzed": session})
    neighbour = await door.live("bob", client="neighbour")
    before = _sockets(site)
    warm = Fuzzing(own, record)
    await warm._one(await Raw.open(door.port), Random(seed))
    warm_kb = _memory_kb(site)

    fuzzing, began = Fuzzing(own, record), time.monotonic()
    work = asyncio.gather(*(fuzzing.connect_again_and_again(Random(f"{seed}/{n}")) for n in range(AT_ONCE)))
    lateness_s = []
    while not work.done():
        notice = await asyncio.to_thread(stage, "post", "while others write nonsense")
        posted = time.monotonic()
        event = await neighbour.until("event", "announcement.posted", timeout_s=20)
        assert event["data"]["id"] == notice
        lateness_s.append(time.monotonic() - posted)
        await neighbour.send({"type": "seen", "frames": len(neighbour.received)})
        await asyncio.wait([work], timeout=0.3)
    await work
    took_s = time.monotonic() - began

    sys.stdout.write(
        f"seed {seed}: {fuzzing.frames} frames in {took_s:.1f} s, {fuzzing.synced} were synced;"
        f" closes {dict(fuzzing.closes)}, handshakes {dict(fuzzing.statuses)};"
        f" Bob at most {max(lateness_s):.3f} s late\n"
    )
    assert set(fuzzing.closes) <= DOCUMENTED | OF_THE_SERVER_PROGRAM, fuzzing.closes
    assert fuzzing.synced > FRAMES / 20, "the premise: many come as far as a live stream"
    assert {1002, 1007, 4006} <= set(fuzzing.closes), "the premise: both refuse"
    assert set(fuzzing.statuses) <= {0, 101, 400, 403, 404, 414, 426, 431}, fuzzing.statuses
    assert max(lateness_s) < LATE_S
    await eventually(lambda: _sockets(site) <= before, timeout_s=15)
    assert _memory_kb(site) - warm_kb < GROWTH_LIMIT_KB
