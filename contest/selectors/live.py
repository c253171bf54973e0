"""The whole state of each live stream for one viewer: the `data` of a snapshot, and what pages are rendered with.

Read the cursors before calling this; then nothing can fall between the two.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.db.models import F, Q, QuerySet

from contest.access import Rights
from contest.models import (
    Clarification,
    Contest,
    Notice,
    NoticeReceipt,
    NoticeVersion,
    Record,
    SelfTestOutput,
    SelfTestRun,
)
from contest.presenters import (
    Json,
    present_asked_clarification,
    present_case,
    present_chunk,
    present_clarification,
    present_contest,
    present_notice,
    present_record,
    present_run,
)
from contest.rules.feedback import Feedback, reduce_cases, reduce_summary

RECORDS_LIMIT = 200
NOTICES_LIMIT = 500
CLARIFICATIONS_LIMIT = 500


@dataclass(frozen=True)
class Snapshot:
    data: dict[str, Any]
    unsent: list[tuple[int, int]] = field(default_factory=list)
    """Notices in it, (id, version), that the ledger does not know as sent to this viewer."""


def read_snapshot(
    stream: str, contest: Contest, rights: Rights, *, record: Record | None = None, accumulated_ms: int = 0
) -> Snapshot:
    """The state of `stream` in `contest` for a viewer with `rights`, who was found to be allowed to follow it.

    `record` for the stream of one record; `accumulated_ms` is the viewer's foreground time for the timer.
    """
    if stream == "announcements":
        return _announcements(contest, rights)
    if stream == "records":
        return Snapshot({"records": [_summary(each, rights) for each in _records(contest, rights)[:RECORDS_LIMIT]]})
    if stream == "record" and record is not None:
        return Snapshot(_record(record, rights))
    if stream == "selftest":
        return Snapshot(_selftest(contest, rights))
    if stream == "timer":
        return Snapshot({"contest": present_contest(contest), "accumulated_ms": accumulated_ms})
    raise ValueError(f"there is no stream {stream}")


def read_watched(contest: Contest, rights: Rights, record_ids: list[int]) -> list[Json] | None:
    """The current state of these records, newest first; None if the viewer may not see one of them in the list."""
    found = [_summary(each, rights) for each in _records(contest, rights).filter(pk__in=record_ids)]
    return found if len(found) == len(set(record_ids)) else None


def _viewer(rights: Rights) -> int:
    """Never None: a filter on no user would find what belongs to nobody."""
    if rights.user_id is None:
        raise ValueError("nobody is signed in, so there is no own state")
    return rights.user_id


# --- Announcements --------------------------------------------------------------------------------


def _announcements(contest: Contest, rights: Rights) -> Snapshot:
    notices = list(_notices(contest, rights))
    receipts = _receipts(notices, rights)
    data = {
        "contest": present_contest(contest),
        "notices": [
            present_notice(each) | {"confirmed": receipts.get(each.notice_id, (False, False))[1]} for each in notices
        ],
        "clarifications": _clarifications(contest, rights),
    }
    sent = {notice_id for notice_id, (is_sent, _) in receipts.items() if is_sent}
    return Snapshot(data, [(each.notice_id, each.version) for each in notices if each.notice_id not in sent])


def _notices(contest: Contest, rights: Rights) -> QuerySet[NoticeVersion]:
    """Current versions, newest notice first, of what was posted to all or to this viewer and not withdrawn."""
    mine = Q(notice__audience=Notice.Audience.ALL) | Q(notice__recipients__user_id=_viewer(rights))
    current = NoticeVersion.objects.filter(mine, notice__contest=contest, version=F("notice__version"))
    shown = current.filter(notice__withdrawn_at=None).select_related("problem").distinct()
    return shown.order_by("-notice_id")[:NOTICES_LIMIT]


def _receipts(notices: list[NoticeVersion], rights: Rights) -> dict[int, tuple[bool, bool]]:
    """Notice id → (sent, confirmed) of its current version."""
    current = {each.notice_id: each.version for each in notices}
    rows = NoticeReceipt.objects.filter(user_id=_viewer(rights), notice_id__in=current)
    return {
        notice_id: (sent_at is not None, confirmed_at is not None)
        for notice_id, version, sent_at, confirmed_at in rows.values_list(
            "notice_id", "version", "sent_at", "confirmed_at"
        )
        if current[notice_id] == version
    }


def _clarifications(contest: Contest, rights: Rights) -> list[Json]:
    asked = Clarification.objects.filter(contest=contest).select_related("problem", "asker")
    if rights.is_staff:
        return [present_asked_clarification(each) for each in asked[:CLARIFICATIONS_LIMIT]]
    readable = asked.filter(Q(asker_id=_viewer(rights)) | Q(is_public=True, answered_at__isnull=False))
    return [present_clarification(each) for each in readable[:CLARIFICATIONS_LIMIT]]


# --- Records --------------------------------------------------------------------------------------


def _records(contest: Contest, rights: Rights) -> QuerySet[Record]:
    """Records of the list, newest first: own ones, and for those entitled everybody's in the contest."""
    listed = Q(user_id=_viewer(rights))
    if rights.sees_all_records:
        listed |= Q(purpose=Record.Purpose.CONTEST)
    records = Record.objects.filter(listed, contest=contest).exclude(purpose=Record.Purpose.PACKAGE)
    return records.select_related("problem", "user").order_by("-pk")


def _feedback(record: Record, rights: Rights) -> Feedback:
    return Feedback.FULL if rights.sees_record_in_full(record) else rights.own_feedback


def _summary(record: Record, rights: Rights) -> Json:
    return reduce_summary(present_record(record), _feedback(record, rights))


def _record(record: Record, rights: Rights) -> Json:
    # Read anew: it may have been loaded before the cursors were.
    record = Record.objects.select_related("problem", "user").get(pk=record.pk)
    cases = [present_case(each) for each in record.cases.filter(attempt=record.attempt)]
    return {
        "record": _summary(record, rights) | {"compiler_output": record.compiler_output},
        "cases": reduce_cases(cases, _feedback(record, rights)),
    }


# --- Self-tests -----------------------------------------------------------------------------------


def _selftest(contest: Contest, rights: Rights) -> Json:
    run = SelfTestRun.objects.filter(contest=contest, user_id=_viewer(rights)).order_by("-pk").first()
    if run is None:
        return {"run": None, "output": []}
    output = SelfTestOutput.objects.filter(run=run, attempt=run.attempt).order_by("pk")
    return {"run": present_run(run), "output": [present_chunk(each) for each in output]}
