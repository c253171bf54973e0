"""The history of what staff did, written in the transaction of each action."""

from __future__ import annotations

from django.utils import timezone

from contest.models import AuditEntry, Contest, User
from contest.services.checks import require_text

REASON_LIMIT_CHARS = 300


def note(
    contest: Contest,
    by: User,
    action: str,
    words: str,
    *,
    reason: str = "",
    subject: User | None = None,
    form_key: str | None = None,
) -> AuditEntry:
    """Add an entry. Inside the transaction of the action: no action without its entry, and none without an action.

    `form_key`: of the form that asked for it; an action that adds up asks `was_done` with it first.
    """
    limit = AuditEntry._meta.get_field("words").max_length or REASON_LIMIT_CHARS
    return AuditEntry.objects.create(
        contest=contest,
        at=timezone.now(),
        by=by,
        action=action,
        words=words[:limit],
        reason=reason,
        subject=subject,
        form_key=form_key,
    )


def was_done(form_key: str | None) -> bool:
    """Whether this form, sent twice by a double click, has acted already. Ask with the contest's row locked: of two
    that come at once the second then sees the first. The unique column is the other door."""
    return form_key is not None and AuditEntry.objects.filter(form_key=form_key).exists()


def require_reason(reason: str) -> str:
    """Where an action touches one person, the history says why."""
    return require_text(reason, "The reason", limit=REASON_LIMIT_CHARS)


def optional_reason(reason: str) -> str:
    return require_reason(reason) if reason.strip() else ""


def minutes_in_words(seconds: int) -> str:
    """900 → "15 minutes", 90 → "1 min 30 s", 36 → "36 seconds"; without the sign."""
    minutes, rest_s = divmod(abs(seconds), 60)
    if rest_s and minutes:
        return f"{minutes} min {rest_s} s"
    if rest_s:
        return "1 second" if rest_s == 1 else f"{rest_s} seconds"
    return "1 minute" if minutes == 1 else f"{minutes} minutes"
