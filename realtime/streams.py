"""What tells the five streams apart before a connection is attached. Who may follow them: `contest.access`."""

from __future__ import annotations

from dataclasses import dataclass

from contest.streams import StreamName
from realtime.wire.protocol import FRAME_LIMIT_BYTES, SELFTEST_FRAME_LIMIT_BYTES


@dataclass(frozen=True)
class Stream:
    """`forbidden` is said to whoever may not follow it."""

    name: StreamName
    forbidden: str
    frame_limit_bytes: int = FRAME_LIMIT_BYTES


_MEMBERS_ONLY = "Only registered contestants and the jury of this contest may follow it."

ANNOUNCEMENTS = Stream(StreamName.ANNOUNCEMENTS, _MEMBERS_ONLY)
RECORDS = Stream(StreamName.RECORDS, _MEMBERS_ONLY)
RECORD = Stream(StreamName.RECORD, "You may not see this record.")
SELFTEST = Stream(StreamName.SELFTEST, _MEMBERS_ONLY, SELFTEST_FRAME_LIMIT_BYTES)
TIMER = Stream(StreamName.TIMER, "Only contestants have a time of their own.")
