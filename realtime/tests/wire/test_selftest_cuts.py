"""A self-test judged for real while its reader's connection is cut hard again and again: no byte is lost or doubled."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest

from realtime.tests.conversation import Frame
from realtime.tests.wire.sockets import Door, Socket
from tools.site_process import BASE_DIR, SiteProcess

SEED = 20_261_130
CUTS = 6
LINES = 400
PROGRAM = f"""
import os, time
for number in range({LINES}):
    line = f"{{number}} \\u00e4\\u20ac\\U0001f600".encode() + b"\\xff\\xe2\\x82 end\\n"
    for at in range(0, len(line), 5):  # in the middle of characters, whole and broken ones
        os.write(1, line[at : at + 5])
    os.write(2, b"!")
    time.sleep(0.008)
"""
LINE = "\u00e4\u20ac\U0001f600".encode() + b"\xff\xe2\x82 end\n"
EXPECTED = b"".join(f"{number} ".encode() + LINE for number in range(LINES)).decode("utf-8", "replace")


@pytest.fixture(scope="module")
def judge(site: SiteProcess) -> Iterator[None]:
    """A real judge on the site's database."""
    command = [sys.executable, "manage.py", "judge", "--slots", "1"]
    process = subprocess.Popen(command, cwd=BASE_DIR, env=site.environment)
    yield
    process.terminate()
    process.wait(10)


class Reader:
    """What one person's pages have taken in, one after the other, as a browser's store does it."""

    def __init__(self) -> None:
        self.text: dict[str, str] = defaultdict(str)
        self.bytes: dict[str, int] = defaultdict(int)
        self.end: dict[str, Any] | None = None
        self.statuses: list[str] = []
        self.meters: list[int] = []

    def take(self, frame: Frame) -> None:
        if frame["type"] != "event":
            return
        name, data = frame["name"], frame["data"]
        self.statuses.append(name)
        if name == "run.finished":
            self.end = data
        if name == "run.output":
            stream = data["stream"]
            assert data["offset"] == self.bytes[stream], f"a hole or a repetition at {frame}"
            self.text[stream] += data["text"]
            self.bytes[stream] += len(data["text"].encode())
            if "time_ms" in data:
                self.meters.append(data["memory_kb"])


async def enter(door: Door, who: str, **more: Any) -> Socket:
    """A page that says `seen` as a browser does: output is more than the credit of one that does not."""
    socket = await door.open(who, "selftest", client=f"page-of-{who}")
    socket.acknowledges = True
    return await socket.greet(**more)


async def read(socket: Socket, reader: Reader, for_s: float) -> dict[str, Any] | None:
    """Take in what comes for so long; how the run ended, if it did."""
    until_s = time.monotonic() + for_s
    while reader.end is None:
        try:
            frame = await socket.receive(max(0.01, until_s - time.monotonic()))
        except TimeoutError:
            break
        if isinstance(frame, dict):
            reader.take(frame)
    return reader.end


@pytest.mark.usefixtures("judge")
async def test_not_a_byte_is_lost_or_doubled_by_a_line_that_is_cut_again_and_again(door: Door) -> None:
    chance = random.Random(SEED)
    reader = Reader()
    socket = await enter(door, "alice")
    data = {"language": "python", "source": PROGRAM, "stdin": ""}
    await socket.send({"type": "command", "client_seq": 1, "name": "run", "data": data})
    assert (await socket.until("reply"))["ok"], "a page would send it again until it is answered"
    for frame in socket.received:
        reader.take(frame)
    for _ in range(CUTS):
        assert await read(socket, reader, chance.uniform(0.05, 0.6)) is None, "it was over before it was cut so often"
        socket.reset()
        await asyncio.sleep(chance.uniform(0.0, 0.4))
        socket = await enter(door, "alice", cursor=socket.cursor, cause="error")
        assert socket.received[0]["resumed"] is True
        for frame in socket.received:
            reader.take(frame)

    end = await read(socket, reader, 30.0)
    assert end is not None
    assert end["verdict"] == "AC", end
    assert reader.text["stdout"] == EXPECTED
    assert reader.text["stderr"] == "!" * LINES
    assert len(reader.meters) >= 2
    assert max(reader.meters) > 1000, "a Python program needs more than a mebibyte"


@pytest.mark.usefixtures("judge")
async def test_a_line_is_seen_while_its_program_waits_and_stop_ends_it_within_a_second(door: Door) -> None:
    socket = await enter(door, "bob")
    data = {"language": "python", "source": "print('one')\nimport time\ntime.sleep(60)\nprint('two')", "stdin": ""}
    await socket.send({"type": "command", "client_seq": 1, "name": "run", "data": data})
    while not (await socket.until("event", "run.output"))["data"]["text"]:
        pass
    await socket.send({"type": "command", "client_seq": 2, "name": "run", "data": data})
    busy = await socket.until("reply")
    if busy["client_seq"] == 1:
        busy = await socket.until("reply")
    assert (busy["ok"], busy["error"]["code"]) == (False, "busy")
    assert "still going" in busy["error"]["message"]
    began = time.monotonic()
    await socket.send({"type": "command", "client_seq": 3, "name": "cancel", "data": {}})
    end = (await socket.until("event", "run.finished"))["data"]
    assert time.monotonic() - began < 1.0
    assert end["verdict"] is None, "stopped, and not judged"
