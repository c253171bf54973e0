"""The wire contract, incoming half: close codes, limits and the frames of clients. Pure; see docs/protocol.md.

`parse` answers one of the frame classes or raises `Malformed`; nothing else about a frame's
content can fail later, so nothing a client writes ends in a traceback.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Any

VERSION = 1
FRAME_LIMIT_BYTES = 64 * 1024
SELFTEST_FRAME_LIMIT_BYTES = 1024 * 1024
SAFE_INTEGER = 2**53 - 1  # what JavaScript counts without loss
MOST_STATED = 100_000
"""Of tries, gaps and the like in a `hello`: one client's made-up figures must not drown what all others say."""
CURSOR_TOPICS_LIMIT = 8
CAUSES = frozenset(
    {"first", "close", "error", "handshake-timeout", "probe-timeout", "report-timeout", "send-error", "gap", "slow"}
) | {"page", "slept", "offline", "drain", "superseded", "fault"}
OTHER_CAUSE = "other"
PING = "ping"
PONG = "pong"


class CloseCode(IntEnum):
    """What the server closes with. 4000–4099 are terminal: the client does not come back by itself."""

    NORMAL = 1000  # a plain end; the client reconnects
    BAD_REQUEST = 4000  # preparing or handling failed for a lasting reason; terminal, message shown
    FINISHED = 4001  # this stream has come to its end; terminal, shown as ended
    SIGNED_OUT = 4002  # no valid session (any more); terminal: sign in again
    FORBIDDEN = 4003  # may not see this; terminal
    NOT_FOUND = 4004  # no such thing; terminal
    OLD_CLIENT = 4005  # the client's protocol version is not spoken here; terminal, one offer to reload
    MALFORMED = 4006  # a frame that is not of the contract; terminal, a fault of the client
    TOO_LARGE = 4009  # a frame over the limit; terminal, a fault of the client
    SLOW = 4100  # takes nothing in while frames are outstanding; resumes
    NO_HELLO = 4101  # no hello in time; reconnects with back-off
    SILENT = 4102  # nothing received for the idle-kill time; reconnects
    SUPERSEDED = 4103  # a newer connection of the same (client, stream) took over
    FAILURE = 4111  # a failure that may pass, the database being away; reconnects with back-off
    DRAINING = 4112  # this node is being drained; reconnects at once
    OVERLOADED = 4113  # reconnects after the retry frame's delay
    TOO_MANY = 4129  # too many connections, attempts or frames; reconnects after the retry frame's delay


class EndCode(StrEnum):
    """Why a stream ends for good, in the `end` frame before a terminal close."""

    SIGNED_OUT = "signed-out"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not-found"
    FINISHED = "finished"
    ARCHIVED = "archived"
    BAD_REQUEST = "bad-request"
    OLD_CLIENT = "old-client"


class RetryCode(StrEnum):
    """Why a connection is refused for now, in the `retry` frame before its close."""

    OVERLOADED = "overloaded"
    TOO_MANY = "too-many"
    STARTING = "starting"
    DRAINING = "draining"


class Malformed(Exception):
    """Not a frame of the contract; the sentence says why."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a reader left one topic: everything up to `seq` of the log named `epoch` was applied."""

    epoch: str
    seq: int


@dataclass(frozen=True, slots=True)
class Hello:
    protocol: int
    client: str
    cursor: dict[str, Cursor] | None
    attempt: int
    cause: str
    """One of `CAUSES`, `OTHER_CAUSE` for whatever else the client states, or empty if it states none."""
    gap_ms: int
    stats: dict[str, int]
    token: str
    user: int | None = None
    """Whose page it is, if it says so: another's session must not carry it on."""


@dataclass(frozen=True, slots=True)
class Command:
    client_seq: int
    name: str
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Seen:
    frames: int


@dataclass(frozen=True, slots=True)
class Leave:
    pass


ClientFrame = Hello | Command | Seen | Leave


def size_bytes(text: str) -> int:
    """What `text` takes in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def is_over(text: str, limit_bytes: int) -> bool:
    """Whether `text` takes more than `limit_bytes` in UTF-8; encodes only where it might."""
    if len(text) > limit_bytes:
        return True
    return len(text) * 4 > limit_bytes and len(text.encode("utf-8", "surrogatepass")) > limit_bytes


def parse(text: str) -> ClientFrame:
    """The frame that `text` is. Raises Malformed."""
    try:
        frame = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise Malformed("not JSON") from error
    if not isinstance(frame, dict):
        raise Malformed("not an object")
    kind = frame.get("type")
    if kind == "seen":
        return Seen(integer(frame, "frames"))
    if kind == "command":
        return Command(integer(frame, "client_seq"), string(frame, "name", 40), mapping(frame, "data"))
    if kind == "hello":
        return _hello(frame)
    if kind == "leave":
        return Leave()
    raise Malformed("unknown type")


def _hello(frame: dict[str, Any]) -> Hello:
    client = string(frame, "client", 64)
    if not client or not all(c.isascii() and (c.isalnum() or c in "-_") for c in client):
        raise Malformed("client is no id")
    stats = frame.get("stats") or {}
    if not isinstance(stats, dict):
        raise Malformed("stats is no object")
    return Hello(
        protocol=integer(frame, "protocol"),
        client=client,
        cursor=_cursors(frame.get("cursor")),
        attempt=_number(frame.get("try", 0), MOST_STATED),
        cause=stated_cause(frame),
        gap_ms=_number(frame.get("gap_ms", 0)),
        stats={name: _number(stats.get(name, 0), MOST_STATED) for name in ("gaps", "duplicates", "rtt_ms")},
        token=string(frame, "token", 4096) if frame.get("token") is not None else "",
        user=integer(frame, "user") if frame.get("user") is not None else None,
    )


def stated_cause(frame: dict[str, Any]) -> str:
    """Why a connection was made, as far as its client says so."""
    if "cause" not in frame:
        return ""
    cause = string(frame, "cause", 40)
    return cause if cause in CAUSES else OTHER_CAUSE


def _cursors(value: Any) -> dict[str, Cursor] | None:
    if value is None:
        return None
    if not isinstance(value, dict) or len(value) > CURSOR_TOPICS_LIMIT:
        raise Malformed("cursor is no object of topics")
    return {topic: _cursor(cursor) for topic, cursor in value.items()}


def _cursor(value: Any) -> Cursor:
    if not isinstance(value, dict):
        raise Malformed("cursor of a topic is no object")
    return Cursor(string(value, "epoch", 64), integer(value, "seq"))


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _number(value: Any, most: int = SAFE_INTEGER) -> int:
    """A figure that is only counted and shown: any number, made a whole one within bounds."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Malformed("not a number")
    return int(min(max(value, 0), most))


def integer(frame: dict[str, Any], name: str) -> int:
    value = frame.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= SAFE_INTEGER:
        raise Malformed(f"{name} is no whole number")
    return value


def boolean(frame: dict[str, Any], name: str) -> bool:
    value = frame.get(name)
    if not isinstance(value, bool):
        raise Malformed(f"{name} is neither true nor false")
    return value


def string(frame: dict[str, Any], name: str, limit: int) -> str:
    """Text of at most `limit` characters that every database can store and look for: PostgreSQL takes no NUL."""
    value = free_text(frame, name, limit)
    if "\x00" in value:
        raise Malformed(f"{name} holds a NUL character")
    return value


def free_text(frame: dict[str, Any], name: str, limit: int) -> str:
    """What a person wrote: the service that takes it says in a sentence that it may hold no NUL.

    Half a surrogate pair is no text for anybody.
    """
    value = frame.get(name)
    if not isinstance(value, str) or len(value) > limit:
        raise Malformed(f"{name} is no text of at most {limit} characters")
    try:
        value.encode()  # at the speed of C: a megabyte looked through sign by sign would stop the event loop
    except UnicodeEncodeError:
        raise Malformed(f"{name} holds half a character") from None
    return value


def mapping(frame: dict[str, Any], name: str) -> dict[str, Any]:
    value = frame.get(name)
    if not isinstance(value, dict):
        raise Malformed(f"{name} is no object")
    return value
