"""What tells the five streams apart before a connection is attached: where they live and who may."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from contest.access import Rights
from contest.models import Record
from realtime.protocol import FRAME_LIMIT_BYTES, SELFTEST_FRAME_LIMIT_BYTES


@dataclass(frozen=True)
class Stream:
    """`may` decides on rights and, for the stream of one record, that record."""

    name: str
    may: Callable[[Rights, Record | None], bool]
    forbidden: str
    frame_limit_bytes: int = FRAME_LIMIT_BYTES


def _member(rights: Rights, record: Record | None) -> bool:
    return rights.may_connect


def _reader(rights: Rights, record: Record | None) -> bool:
    return record is not None and rights.may_see_record(record)


def _contestant(rights: Rights, record: Record | None) -> bool:
    return rights.is_registered


_MEMBERS_ONLY = "Only registered contestants and the jury of this contest may follow it."

ANNOUNCEMENTS = Stream("announcements", _member, _MEMBERS_ONLY)
RECORDS = Stream("records", _member, _MEMBERS_ONLY)
RECORD = Stream("record", _reader, "You may not see this record.")
SELFTEST = Stream("selftest", _member, _MEMBERS_ONLY, SELFTEST_FRAME_LIMIT_BYTES)
TIMER = Stream("timer", _contestant, "Only contestants have a time of their own.")
