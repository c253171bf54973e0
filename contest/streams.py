"""The names of the live streams: in addresses, in pages' data and wherever a stream is chosen."""

from __future__ import annotations

from enum import StrEnum


class StreamName(StrEnum):
    ANNOUNCEMENTS = "announcements"  # notices, answers, the contest's schedule
    RECORDS = "records"  # one summary per submission
    RECORD = "record"  # one submission with its cases
    SELFTEST = "selftest"  # own code on own input
    TIMER = "timer"  # foreground time
