"""Rows as the JSON that frames, page snapshots and `?format=json` share: one shape each, written once.

Times are ISO 8601 in UTC. `version` grows with every change of the same object, so that any order
and any repetition of these give the same picture.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from contest.access import phase_of
from contest.markdown import render_markdown
from contest.models import (
    Clarification,
    Contest,
    JudgeAlarms,
    NoticeVersion,
    Participation,
    Record,
    RecordCase,
    SelfTestOutput,
    SelfTestRun,
)
from contest.ports import Presence

Json = dict[str, Any]


def present_time(moment: datetime | None) -> str | None:
    if moment is None:
        return None
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def present_contest(contest: Contest, now: datetime | None = None) -> Json:
    return {
        "slug": contest.slug,
        "version": contest.version,
        "title": contest.title,
        "state": phase_of(contest, now).value,
        "starts_at": present_time(contest.starts_at),
        "ends_at": present_time(contest.ends_at),
        "freeze_at": present_time(contest.freeze_at),
        "paused_at": present_time(contest.paused_at),
    }


def present_participation(participation: Participation) -> Json:
    """For the contestant alone."""
    return {"version": participation.version, "extra_time_ms": participation.extra_time_s * 1000}


def present_notice(version: NoticeVersion) -> Json:
    return {
        "id": version.notice_id,
        "version": version.version,
        "title": version.title,
        "html": version.html,
        "level": version.level,
        "problem": version.problem.label if version.problem else None,
        "posted_at": present_time(version.posted_at),
        "requires_ack": version.requires_ack,
    }


def present_presence(presence: Presence | None) -> Json:
    """For the jury. Nobody has ever connected: everything is null, and not connected."""
    known = presence or Presence()
    return {
        "connected": known.connected_since is not None,
        "connected_since": present_time(known.connected_since),
        "disconnected_since": present_time(known.disconnected_since),
        "behind_since": present_time(known.behind_since),
    }


def present_alarms(state: JudgeAlarms | None) -> Json:
    """For the jury: all that is wrong with judging now."""
    return {"version": state.version if state else 0, "alarms": state.alarms if state else []}


def present_withdrawal(version: NoticeVersion) -> Json:
    return {"id": version.notice_id, "version": version.notice.version}


def present_clarification(clarification: Clarification) -> Json:
    """For everybody who may see it; the asker's name is left to the jury's pages."""
    return {
        "id": clarification.pk,
        "version": clarification.version,
        "problem": clarification.problem.label if clarification.problem else None,
        "text": clarification.text,
        "asked_at": present_time(clarification.asked_at),
        "answer": clarification.answer or None,
        "answer_html": _rendered(clarification.answer) if clarification.answer else None,
        "answered_at": present_time(clarification.answered_at),
        "public": clarification.is_public,
    }


@lru_cache(maxsize=512)
def _rendered(answer: str) -> str:
    """Answers look like notices. Kept, because every page of a contest shows the public ones."""
    return render_markdown(answer, first_heading=4)


def present_asked_clarification(clarification: Clarification) -> Json:
    """For the jury."""
    return {**present_clarification(clarification), "asker": clarification.asker.shown_name}


def present_record(record: Record) -> Json:
    """Summary, in full; `contest.rules.feedback` reduces it for its owner."""
    return {
        "id": record.pk,
        "version": record.version,
        "status": record.status,
        "verdict": record.verdict or None,
        "problem": record.problem.label,
        "user": record.user.shown_name if record.user else None,
        "user_id": record.user_id,
        "language": record.language,
        "score": record.score,
        "time_ms": record.time_ms,
        "memory_kb": record.memory_kb,
        "progress": {"done": record.cases_done, "all": record.cases_total},
        "submitted_at": present_time(record.submitted_at),
    }


def present_case(case: RecordCase) -> Json:
    return {
        "index": case.index,
        "attempt": case.attempt,
        "verdict": case.verdict,
        "time_ms": case.time_ms,
        "memory_kb": case.memory_kb,
        "score": case.score,
        "message": case.message,
    }


def present_run(run: SelfTestRun) -> Json:
    return {
        "id": run.pk,
        "version": run.version,
        "attempt": run.attempt,
        "status": run.status,
        "verdict": run.verdict or None,
        "language": run.language,
        "position": run.told_position or None,
        "compiler_output": run.compiler_output,
        "time_ms": run.time_ms,
        "memory_kb": run.memory_kb,
        "exit_status": run.exit_status,
        "cut": run.cut,
    }


def present_chunk(chunk: SelfTestOutput) -> Json:
    return {
        "run": chunk.run_id,
        "attempt": chunk.attempt,
        "stream": chunk.stream,
        "offset": chunk.offset,
        "text": chunk.text,
    }
