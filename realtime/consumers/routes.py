"""Which consumer serves which stream, whatever carries it."""

from __future__ import annotations

import re

from realtime.consumers.announcements import Announcements
from realtime.consumers.base import StreamConsumer
from realtime.consumers.record import OneRecord
from realtime.consumers.records import Records
from realtime.consumers.selftest import SelfTest
from realtime.consumers.timer import Timer

SLUG = "[-a-zA-Z0-9_]{1,60}"
_SLUG = f"(?P<target>{SLUG})"

ROUTES: list[tuple[re.Pattern[str], type[StreamConsumer]]] = [
    (re.compile(rf"/ws/contests/{_SLUG}/announcements"), Announcements),
    (re.compile(rf"/ws/contests/{_SLUG}/records"), Records),
    (re.compile(r"/ws/records/(?P<target>[0-9]{1,15})"), OneRecord),
    (re.compile(rf"/ws/contests/{_SLUG}/selftest"), SelfTest),
    (re.compile(rf"/ws/contests/{_SLUG}/timer"), Timer),
]


def find(path: str) -> tuple[type[StreamConsumer], str] | None:
    """The consumer of a stream's path and the contest's slug or the record's number in it."""
    for pattern, consumer in ROUTES:
        found = pattern.fullmatch(path)
        if found:
            return consumer, found["target"]
    return None


def path_of(name: str, slug: str) -> str:
    """The path of a stream as a document of the contest `slug` names it: `timer`, `record/17`."""
    kind, slash, number = name.partition("/")
    return f"/ws/records/{number}" if slash and kind == "record" else f"/ws/contests/{slug}/{name}"
