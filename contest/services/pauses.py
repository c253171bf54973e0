"""Pausing a contest and letting it go on.

While it is paused its clock stands still: nothing can be submitted or run, no own time is counted, problems and
answers can be read, and what was submitted before is judged on. When it goes on, the end and a freeze that had not
come are later by the length of the pause, and no time that counts includes it.
"""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from contest.access import phase_of
from contest.models import AuditEntry, Contest, User
from contest.rules.phases import is_open, milliseconds
from contest.services.audit import minutes_in_words, note, optional_reason
from contest.services.checks import require_staff
from contest.services.errors import Refused
from contest.services.times import locked_contest, tell

PAUSE = AuditEntry.Action.PAUSE


def pause(contest: Contest, by: User, reason: str = "") -> Contest:
    """Stop the contest's clock. Pausing twice is pausing once."""
    require_staff(contest, by)
    with transaction.atomic():
        locked, now = locked_contest(contest), timezone.now()
        if locked.paused_at is not None:
            return locked
        if not is_open(phase_of(locked, now)):
            raise Refused("bad-request", "Only a contest that is running can be paused.")
        locked.paused_at = now
        note(locked, by, PAUSE, "Paused the contest.", reason=optional_reason(reason))
        tell(locked, ["paused_at"])
    return locked


def resume(contest: Contest, by: User, reason: str = "") -> Contest:
    """Let the clock run on from where it stood. Resuming twice is resuming once."""
    require_staff(contest, by)
    with transaction.atomic():
        locked, now = locked_contest(contest), timezone.now()
        began_at = locked.paused_at
        if began_at is None:
            return locked
        length = timedelta(milliseconds=milliseconds(now) - milliseconds(began_at))
        if locked.freeze_at is not None and began_at < locked.freeze_at:
            locked.freeze_at += length
        locked.ends_at += length
        locked.pauses = [*locked.pauses, [milliseconds(began_at), milliseconds(now)]]
        locked.paused_at = None
        words = f"Let the contest go on after {minutes_in_words(round(length.total_seconds()))}."
        note(locked, by, PAUSE, words, reason=optional_reason(reason))
        tell(locked, ["ends_at", "freeze_at", "paused_at", "pauses"])
    return locked
