"""Questions and answers as their readers see them."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from contest.access import Rights
from contest.models import Clarification, Contest
from contest.presenters import Json, present_asked_clarification, present_clarification


def visible_clarifications(contest: Contest, rights: Rights) -> QuerySet[Clarification]:
    """Staff: all. Others: their own, and what was answered to everybody. A private answer is the asker's alone."""
    rows = contest.clarifications.select_related("problem", "asker", "answered_by")
    if rights.is_staff:
        return rows
    told_to_all = Q(is_public=True, answered_at__isnull=False)
    return rows.filter(told_to_all | Q(asker_id=rights.user_id) if rights.user_id is not None else told_to_all)


def present_clarifications(contest: Contest, rights: Rights, limit: int | None = None) -> list[Json]:
    """Newest first; with the asker's name for staff only."""
    present = present_asked_clarification if rights.is_staff else present_clarification
    return [present(row) for row in visible_clarifications(contest, rights)[:limit]]
