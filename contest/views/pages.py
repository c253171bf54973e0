"""Rendering a page of a contest: the frame around it is the same everywhere."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render

from contest.models import Problem, Record
from contest.selectors.clarifications import present_clarifications
from contest.selectors.notices import notices_in_force, present_in_force
from contest.selectors.problems import visible_problems
from contest.streams import StreamName
from contest.views.clock import clock_for
from contest.views.common import Visit
from contest.views.live import page_data

ON_EVERY_PAGE = (StreamName.ANNOUNCEMENTS, StreamName.TIMER)


def render_contest_page(
    visit: Visit,
    template: str,
    context: dict[str, Any],
    *,
    tab: str,
    streams: Sequence[StreamName] = (),
    record: Record | None = None,
    problems: list[Problem] | None = None,
    status: int = 200,
) -> HttpResponse:
    """`template` inside the contest's frame: navigation, clock, badge, alerts and the page's data."""
    data = page_data(visit, [*ON_EVERY_PAGE, *streams], record)
    said = _said(visit, data)
    frame = {
        "visit": visit,
        "contest": visit.contest,
        "rights": visit.rights,
        "phase": visit.rights.phase.value,
        "clock": clock_for(visit.contest, visit.rights.phase, visit.now, timedelta(seconds=visit.rights.extra_time_s)),
        "tab": tab,
        "problems": visible_problems(visit.contest, visit.rights) if problems is None else problems,
        "page_data": data,
        "streams": list(data["streams"]),
        **said,
        "judging": _judging(data),
        "alerts": _alerts(visit, said["notices"]),
        "open_questions": sum(row["answer"] is None for row in said["clarifications"]),
        "question": {},
        "ask_key": uuid.uuid4().hex,
    }
    return render(visit.request, template, {**frame, **context}, status=status)


def _said(visit: Visit, data: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Notices and clarifications: those of the stream's snapshot, or, for readers without streams, read here."""
    if StreamName.ANNOUNCEMENTS in data["streams"]:
        snapshot = data["streams"][StreamName.ANNOUNCEMENTS]["data"]
        return {"notices": snapshot["notices"], "clarifications": snapshot["clarifications"]}
    if not visit.rights.may_see_problems:
        return {"notices": [], "clarifications": []}
    return {
        "notices": [present_in_force(found) for found in notices_in_force(visit.contest, visit.rights.user_id)],
        "clarifications": present_clarifications(visit.contest, visit.rights),
    }


def _judging(data: dict[str, Any]) -> dict[str, Any] | None:
    """What the jury is told of trouble with judging; None for everybody else."""
    announcements = data["streams"].get(StreamName.ANNOUNCEMENTS)
    judging: dict[str, Any] | None = announcements and announcements["data"].get("judging")
    return judging


def _alerts(visit: Visit, notices: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What this reader has still to confirm, critical ones first; only contestants can, and the jury wrote it."""
    if visit.rights.is_staff or not visit.rights.may_connect:
        return []
    unread = [row for row in notices if not row["confirmed"]]
    return sorted(unread, key=lambda row: row["level"] != "critical")
