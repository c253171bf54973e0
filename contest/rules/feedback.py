"""What an owner may see of one's own record while the contest runs. What is hidden is not in the frame at all."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

ACCEPTED = "AC"


class Feedback(StrEnum):
    FULL = "full"
    FIRST_FAILED = "first-failed"
    VERDICT = "verdict"
    NONE = "none"


def reduce_summary(summary: dict[str, Any], feedback: Feedback) -> dict[str, Any]:
    """The record's summary as `feedback` lets its owner see it."""
    if feedback in (Feedback.FULL, Feedback.FIRST_FAILED):
        return summary
    reduced = {**summary, "progress": None}
    if feedback is Feedback.NONE and summary["verdict"] not in ("CE", "JE", None):
        reduced |= {"verdict": None, "score": None, "time_ms": None, "memory_kb": None}
    return reduced


def reduce_cases(cases: Iterable[dict[str, Any]], feedback: Feedback) -> list[dict[str, Any]]:
    """Those of `cases` (all of a record so far, by index) that `feedback` lets the owner see."""
    if feedback is Feedback.FULL:
        return list(cases)
    if feedback is not Feedback.FIRST_FAILED:
        return []
    seen: list[dict[str, Any]] = []
    for case in cases:
        seen.append(case)
        if case["verdict"] != ACCEPTED:
            break
    return seen
