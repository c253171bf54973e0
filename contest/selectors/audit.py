"""The history of what staff did."""

from __future__ import annotations

from contest.models import AuditEntry, Contest, User

SHOWN = 100


def history(contest: Contest, about: User | None = None) -> list[AuditEntry]:
    """The newest entries first; of one contestant with `about`: one query."""
    entries = contest.audit.select_related("by", "subject")
    return list((entries if about is None else entries.filter(subject=about))[:SHOWN])
