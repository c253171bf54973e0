"""Golden text of the second way: addresses, lines and requests, so that neither end of it drifts either."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

from realtime.fallback import carrier, commands
from realtime.wire import frames
from realtime.wire.protocol import CloseCode

CLIENT = "d41d8cd98f00b204"
FENCE = 3
FIRST, RESUMED = "announcements", "record/17"
"""One stream that is opened for the first time, and one that was left somewhere."""
SAID = ("try", "cause", "gap_ms", "stats", "user")
"""A token never stands in an address."""


def golden(server: dict[str, str], client: dict[str, str]) -> dict[str, Any]:
    """Made of the golden frames of a socket: the same frames, carried otherwise."""
    return {
        "client": CLIENT,
        "first": FIRST,
        "resumed": RESUMED,
        "fence": FENCE,
        "address": _address(json.loads(client["first hello"]), json.loads(client["hello with a cursor"])),
        "comment": carrier.COMMENT.decode(),
        "down": {name: _line(carrier.named(RESUMED, text)) for name, text in server.items()}
        | {
            "welcome with a fence": _line(carrier.named("timer", _fenced())),
            "ping": _line(carrier.named(RESUMED, "ping")),
            "pong": _line(carrier.named(RESUMED, "pong")),
            "close": _line(carrier.closed(RESUMED, CloseCode.FORBIDDEN)),
        },
        "up": _request(client),
        "answer": commands.answer_of(
            [carrier.named(RESUMED, server["reply"]), carrier.closed("timer", CloseCode.SUPERSEDED)]
        ),
    }


def _line(text: str) -> str:
    return carrier.event_of(text).decode()


def _fenced() -> str:
    return frames.welcome(node="n1", server_time=1790000000.123, resumed=True, timings={}, fence=FENCE)


def _address(first: dict[str, Any], resumed: dict[str, Any]) -> str:
    said = {
        name: {key: hello[key] for key in SAID if key in hello} for name, hello in ((FIRST, first), (RESUMED, resumed))
    }
    given = {"streams": f"{FIRST},{RESUMED}", "client": CLIENT}
    return urlencode(given | {"cursor": frames.encode({RESUMED: resumed["cursor"]}), "hello": frames.encode(said)})


def _request(client: dict[str, str]) -> str:
    """What a page says in one turn of its loop: a command, the first report after a `welcome`, and credit."""
    ack, report, seen = (json.loads(client[name]) for name in ("ack", "report", "seen"))
    named = [{"stream": FIRST, **ack}, {"stream": "timer", **report, "fence": FENCE, "cause": "close"}]
    return frames.encode({"client": CLIENT, "frames": [*named, {"stream": FIRST, **seen}]})
