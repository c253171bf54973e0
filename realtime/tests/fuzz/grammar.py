"""Frames by a grammar: right ones, right but odd ones, and broken ones made of right ones.

Pure: chance comes in as a `random.Random`, so a seed makes the same frames again.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from random import Random
from typing import Any

Json = dict[str, Any]


class Kind(Enum):
    RIGHT = "right"  # of the contract: it must not end the connection as a fault of the client
    ODD = "odd"  # the contract leaves open whether it is taken
    BROKEN = "broken"  # not of the contract: it must end the connection


@dataclass(frozen=True)
class Made:
    """`data` is bytes for a binary frame. `leaves`: the client says goodbye with it. `is_command`: a reply comes."""

    kind: Kind
    data: str | bytes
    leaves: bool = False
    is_command: bool = False


STREAMS = ("announcements", "records", "record", "selftest", "timer")

TEXTS = [
    "",
    "?",
    "a\u0000b",
    "ä" * 50,
    "\u202e\ufeff",
    "😀" * 20,
    "' OR 1=1 --",
    "<script>",
    "%s%n{}",
    "x" * 3000,
    "\\",
]
IDS = [text[:64] for text in TEXTS if "\u0000" not in text]
NUMBERS = [0, 1, -1, 2**31, 2**53 - 1, 2**53, 2**63, 2**64, 10**30, -(2**63), 0.5, 1e308, -0.0]
VALUES: list[Any] = [None, True, False, "", "1", [], {}, [[]], {"": None}, *NUMBERS, *TEXTS]
WORDS = ["", " ", "null", "true", "0", '"ping"', "PING", "ping ", "pong\n", "\ufeffping"]
RAW = ["NaN", "Infinity", "-Infinity", "1e999", "01", "0x1", "'a'", "undefined", '"\\ud800"', '"\\x"', "[" * 500]


def dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


class Grammar:
    """Frames for one stream. `ids` are numbers of rows that exist: (notice, version) and records."""

    def __init__(self, rng: Random, stream: str, notices: list[tuple[int, int]], records: list[int]) -> None:
        self.rng = rng
        self.stream = stream
        self.notices = notices
        self.records = records
        self.client_seq = 0
        self._commands: dict[str, Callable[[], Json]] = {
            "announcements": self._announcements,
            "records": self._records,
            "selftest": self._selftest,
            "timer": self._timer,
        }

    # --- Right frames -----------------------------------------------------------------------------

    def hello(self, client: str, cursor: Json | None) -> str:
        rng = self.rng
        frame: Json = {"type": "hello", "protocol": 1, "client": client, "try": rng.randrange(30)}
        frame["cause"] = rng.choice(["first", "close", "page", "slept", "unheard of", "ä\n"])
        frame["gap_ms"] = rng.choice([0, 1.5, 10**9])
        frame["stats"] = rng.choice([{}, None, {"gaps": 2, "duplicates": 1, "rtt_ms": 41.5}])
        if cursor is not None:
            frame["cursor"] = cursor
        elif rng.random() < 0.3:
            frame["cursor"] = rng.choice([None, {}, {"me": {"epoch": rng.choice(IDS), "seq": 2**53 - 1}}])
        if rng.random() < 0.1:
            frame["token"] = rng.choice(["", "x" * 4096, "a.b.c"])
        return dump(frame)

    def frame(self) -> Made:
        """One after hello: most are right, or no connection would live long enough to be asked deep questions."""
        chance = self.rng.random()
        if chance < 0.97:
            return self._right()
        if chance < 0.985:
            return Made(Kind.ODD, self._odd())
        return self.broken()

    def _right(self) -> Made:
        chance = self.rng.random()
        if chance < 0.25:
            return Made(Kind.RIGHT, self.rng.choice(["ping", "pong"]))
        if chance < 0.5:
            return Made(Kind.RIGHT, dump({"type": "seen", "frames": self.rng.choice([0, 1, 3, 50, 2**53 - 1])}))
        if chance < 0.505:
            return Made(Kind.RIGHT, dump({"type": "leave"}), leaves=True)
        command = self.command()
        # A self-test takes by far the most of the database's time; the other commands shall have their share.
        if command is None or (self.stream == "selftest" and chance < 0.8):
            return Made(Kind.RIGHT, "ping")
        return Made(Kind.RIGHT, dump(command), is_command=True)

    def command(self) -> Json | None:
        """A right command of this stream, whose effect may still be refused; None: it has none."""
        made = self._commands.get(self.stream)
        if made is None:
            return None
        if self.rng.random() < 0.8:
            self.client_seq += self.rng.choice([1, 1, 1, 5])
        frame = {"type": "command", "client_seq": self.client_seq, **made()}
        if self.rng.random() < 0.05:
            frame["more"] = self.rng.choice(VALUES)
        return frame

    def _announcements(self) -> Json:
        name = self.rng.choice(["delivered", "ack", "ack", "ask"])
        if name == "ask":
            text = self.rng.choice([*TEXTS, "What is $a$?"])
            return {"name": name, "data": {"problem": self.rng.choice([None, "A", "Z", "", "ä"]), "text": text}}
        strange = [(0, 0), (2**53 - 1, 2**53 - 1), (2**31, 1), (10**15, 2)]
        pairs = self.rng.choices(self.notices + strange, k=self.rng.randrange(5))
        return {"name": name, "data": {"notices": [{"id": each, "version": version} for each, version in pairs]}}

    def _records(self) -> Json:
        ids = self.rng.choices([*self.records, 1, 10**6, 2**31, 2**53 - 1], k=self.rng.choice([0, 1, 3, 200, 201]))
        return {"name": "watch", "data": {"ids": ids}}

    def _selftest(self) -> Json:
        if self.rng.random() < 0.4:
            return {"name": "cancel", "data": self.rng.choice([{}, {"run": 1}])}
        data = {"language": self.rng.choice(["python", "cpp", "none", "", "ä"]), "source": self.rng.choice(TEXTS)}
        stdin = "x" * 300_000 if self.rng.random() < 0.02 else self.rng.choice(["", "1 2\n"])
        return {"name": "run", "data": data | {"stdin": stdin}}

    def _timer(self) -> Json:
        foreground_ms = self.rng.choice([0, 1, 1000, 10**9, 2**53 - 1])
        return {"name": "report", "data": {"foreground": self.rng.random() < 0.5, "foreground_ms": foreground_ms}}

    def _odd(self) -> str:
        """A right frame of which one value, somewhere, is another one."""
        frame = self.command() or {"type": "seen", "frames": 1}
        place = frame
        while True:
            key = self.rng.choice(list(place))
            below = place[key]
            if isinstance(below, dict) and below and self.rng.random() < 0.8:
                place = below
                continue
            place[key] = self.rng.choice(VALUES)
            return dump(frame)

    # --- Broken frames ----------------------------------------------------------------------------

    def broken(self, *, is_greeted: bool = True) -> Made:
        """One that is not of the contract, whatever came before it; a second hello only where there was a first."""
        whole = dump(self.command() or {"type": "seen", "frames": 1})
        ways: list[Callable[[], str | bytes]] = [
            lambda: whole[: self.rng.randrange(1, len(whole))],  # cut off
            lambda: whole + self.rng.choice(["}", "x", "\x00", whole]),  # more after its end
            lambda: whole.replace(":", "", 1),
            lambda: whole.replace('"type"', '"typ"', 1),
            lambda: whole.replace('"type": "', '"type": "no-', 1),
            lambda: '{"type":"seen","frames":' + self.rng.choice(RAW) + "}",
            lambda: '{"type":"seen","frames":1,"frames":"1"}',  # the last of two counts
            lambda: '{"type":"command","client_seq":1,"name":"unheard-of","data":{}}',
            lambda: '{"type":"command","client_seq":1.5,"name":"ack","data":{}}',
            lambda: '{"type":"command","client_seq":-1,"name":"ack","data":{}}',
            lambda: '{"type":"hello","protocol":1,"client":"again%s"}' % ("" if is_greeted else "!"),
            lambda: "[" * self.rng.choice([1, 100, 30_000]),
            lambda: '{"a":' * 10_000,
            lambda: self.rng.choice(["", " ", "null", "true", "0", '"ping"', "PING", "ping ", "pong\n", "\ufeffping"]),
            lambda: "9" * self.rng.choice([400, 5000]),
            lambda: dump([{"type": "seen", "frames": 1}]),
            lambda: bytes(self.rng.randrange(256) for _ in range(20)),
            lambda: whole.encode(),  # right, but a binary frame
            lambda: "".join(chr(self.rng.randrange(32, 0xD7FF)) for _ in range(40)),
            lambda: "x" * (1024 * 1024 + 1),
        ]
        return Made(Kind.BROKEN, self.rng.choice(ways)())
