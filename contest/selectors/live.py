"""The whole state of each live stream for one viewer: the `data` of a snapshot, and what pages are rendered with.

Read the cursors before calling this; then nothing can fall between the two. What may be seen, and how much
of it, the selectors of each kind of row decide: a page without scripts shows the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from contest.access import Rights
from contest.models import Contest, JudgeAlarms, Participation, Record, SelfTestOutput, SelfTestRun
from contest.presenters import (
    Json,
    present_alarms,
    present_chunk,
    present_contest,
    present_participation,
    present_run,
    present_time,
)
from contest.selectors.clarifications import present_clarifications
from contest.selectors.notices import notices_in_force, present_in_force
from contest.selectors.records import cases_for, listed_records, summary_for
from contest.streams import StreamName

RECORDS_LIMIT = 200
CLARIFICATIONS_LIMIT = 500


@dataclass(frozen=True)
class Snapshot:
    data: Json
    unsent: list[tuple[int, int]] = field(default_factory=list)
    """Notices in it, (id, version), that the ledger does not know as sent to this viewer."""


def read_snapshot(
    stream: StreamName, contest: Contest, rights: Rights, *, record: Record | None = None, accumulated_ms: int = 0
) -> Snapshot:
    """The state of `stream` in `contest` for a viewer with `rights`, who was found to be allowed to follow it.

    `record` for the stream of one record; `accumulated_ms` is the viewer's foreground time for the timer.
    """
    if stream is StreamName.ANNOUNCEMENTS:
        return _announcements(contest, rights)
    if stream is StreamName.RECORDS:
        newest = listed_records(contest, rights).order_by("-pk")[:RECORDS_LIMIT]
        return Snapshot({"records": [summary_for(each, rights) for each in newest]})
    if stream is StreamName.RECORD and record is not None:
        return Snapshot(_record(record, rights))
    if stream is StreamName.SELFTEST:
        return Snapshot(_selftest(contest, rights))
    if stream is StreamName.TIMER:
        return Snapshot({"contest": present_contest(contest), "accumulated_ms": accumulated_ms})
    raise ValueError(f"there is no stream {stream}")


def read_watched(contest: Contest, rights: Rights, record_ids: list[int]) -> list[Json] | None:
    """The current state of these records, newest first; None if the viewer may not see one of them in the list."""
    watched = listed_records(contest, rights).filter(pk__in=record_ids).order_by("-pk")
    found = [summary_for(each, rights) for each in watched]
    return found if len(found) == len(set(record_ids)) else None


def _viewer(rights: Rights) -> int:
    """Never None: a filter on no user would find what belongs to nobody."""
    if rights.user_id is None:
        raise ValueError("nobody is signed in, so there is no own state")
    return rights.user_id


def _announcements(contest: Contest, rights: Rights) -> Snapshot:
    # Read anew: contest and rights may have been loaded before the cursors were.
    own = Participation.objects.select_related("contest").filter(contest=contest, user=_viewer(rights)).first()
    notices = notices_in_force(contest, _viewer(rights))
    data = {
        "contest": present_contest(own.contest if own else Contest.objects.get(pk=contest.pk)),
        "participation": present_participation(own) if own else None,
        "notices": [present_in_force(each) for each in notices],
        "clarifications": present_clarifications(contest, rights, CLARIFICATIONS_LIMIT),
    }
    if rights.is_staff:
        data["judging"] = present_alarms(JudgeAlarms.objects.filter(contest=contest).first())
    return Snapshot(data, [(each.version.notice_id, each.version.version) for each in notices if not each.is_sent])


def _record(record: Record, rights: Rights) -> Json:
    # Read anew: it may have been loaded before the cursors were.
    record = Record.objects.select_related("problem", "user").get(pk=record.pk)
    summary = summary_for(record, rights) | {"compiler_output": record.compiler_output}
    return {"record": summary, "cases": cases_for(record, rights)}


def _selftest(contest: Contest, rights: Rights) -> Json:
    run = SelfTestRun.objects.filter(contest=contest, user_id=_viewer(rights)).order_by("-pk").first()
    if run is None:
        return {"run": None, "output": []}
    output = SelfTestOutput.objects.filter(run=run, attempt=run.attempt).order_by("pk")
    shown = present_run(run) | {"asked_at": present_time(run.queued_at)}
    return {"run": shown, "output": [present_chunk(each) for each in output]}
