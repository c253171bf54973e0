"""Records in the log: their own topics carry every step, lists carry submitted, final and thinned summaries.

The judge thins the steps themselves (one event per 100 ms with all new cases). Here the lists are
thinned further, so that no list's topic becomes the one row that all judging waits for.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Any

from contest import events
from contest.access import owner_feedback
from contest.models import Record, RecordCase
from contest.presenters import Json, present_case, present_record
from contest.rules.feedback import Feedback, reduce_cases, reduce_summary
from realtime.clock import now_ms
from realtime.log import topics
from realtime.log.append import append

LIST_PERIOD_MS = 1000
"""At most one summary of a record that is being judged goes to a list in this time."""
REMEMBERED_RECORDS = 10_000


class _Thinner:
    """When each record last told its lists; in this process, which is the only one that judges it."""

    def __init__(self) -> None:
        self._told_ms: OrderedDict[int, float] = OrderedDict()

    def is_due(self, record_id: int) -> bool:
        now = now_ms()
        if now - self._told_ms.get(record_id, float("-inf")) < LIST_PERIOD_MS:
            return False
        self._told_ms[record_id] = now
        self._told_ms.move_to_end(record_id)
        if len(self._told_ms) > REMEMBERED_RECORDS:
            self._told_ms.popitem(last=False)
        return True


_thinner = _Thinner()


def _key(record: Record) -> str:
    return f"record:{record.pk}"


def _tell_own_topics(record: Record, cases: Iterable[RecordCase], *, is_kept: bool) -> None:
    """The record's own topics: in full, and as its owner may see it."""
    summary = present_record(record)
    if record.compiler_output:
        summary["compiler_output"] = record.compiler_output
    feedback = owner_feedback(record)
    shown = [present_case(case) for case in cases]
    _tell(topics.of_record_in_full(record.pk), summary, shown, is_kept)
    reduced = reduce_summary(summary, feedback)
    _tell(topics.of_record_owner(record.pk), reduced, _for_owner(record, shown, feedback), is_kept)


def _tell(topic: str, summary: Json, cases: Iterable[Json], is_kept: bool) -> None:
    for case in cases:
        append(topic, "case.finished", case | {"record": summary["id"]})
    append(topic, "record.updated", summary, object_key=f"record:{summary['id']}", is_kept=is_kept)


def _for_owner(record: Record, new: list[Json], feedback: Feedback) -> list[Json]:
    """Those of the `new` cases that the owner may see; which depends on the cases before them."""
    if feedback is not Feedback.FIRST_FAILED or not new:
        return reduce_cases(new, feedback)
    so_far = RecordCase.objects.filter(record=record, attempt=record.attempt).order_by("index")
    visible = {case["index"] for case in reduce_cases([present_case(case) for case in so_far], feedback)}
    return [case for case in new if case["index"] in visible]


def _tell_lists(record: Record, *, is_kept: bool) -> None:
    """The owner's list, and for records of the contest the list of all; package checks are in no list."""
    if record.purpose == Record.Purpose.PACKAGE:
        return
    summary = present_record(record)
    if record.user_id is not None:
        own = topics.of_own_records(record.contest_id, record.user_id)
        append(
            own,
            "record.updated",
            reduce_summary(summary, owner_feedback(record)),
            object_key=_key(record),
            is_kept=is_kept,
        )
    if record.purpose == Record.Purpose.CONTEST:
        everybody = topics.of_all_records(record.contest_id)
        append(everybody, "record.updated", summary, object_key=_key(record), is_kept=is_kept)


def _tell_contestant(record: Record, name: str) -> None:
    """For the contestant's pages that show no list."""
    if record.purpose == Record.Purpose.PACKAGE or record.user_id is None:
        return
    summary = reduce_summary(present_record(record), owner_feedback(record))
    append(topics.of_contestant(record.contest_id, record.user_id), name, summary)


def _submitted(event: events.RecordSubmitted) -> None:
    _tell_own_topics(event.record, (), is_kept=True)
    _tell_lists(event.record, is_kept=True)


def _progressed(event: events.RecordProgressed) -> None:
    _tell_own_topics(event.record, event.cases, is_kept=False)
    if _thinner.is_due(event.record.pk):
        _tell_lists(event.record, is_kept=False)


def _finished(event: events.RecordFinished) -> None:
    _tell_own_topics(event.record, event.cases, is_kept=True)
    _tell_lists(event.record, is_kept=True)
    _tell_contestant(event.record, "record.final")


def _reopened(event: events.RecordReopened) -> None:
    _tell_own_topics(event.record, (), is_kept=True)
    _tell_lists(event.record, is_kept=True)
    _tell_contestant(event.record, "record.reopened")
    # The jury's pages of a record that is final have no stream any more that could tell them.
    if event.record.purpose != Record.Purpose.PACKAGE:
        append(topics.of_jury(event.record.contest_id), "record.reopened", present_record(event.record))


handlers: dict[type, Callable[[Any], None]] = {
    events.RecordSubmitted: _submitted,
    events.RecordProgressed: _progressed,
    events.RecordFinished: _finished,
    events.RecordReopened: _reopened,
}
