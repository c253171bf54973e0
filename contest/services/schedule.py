"""The times of a contest and of one contestant, changed while pages are open: each is one audited action, and all whom
it concerns are told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from django.db import transaction
from django.utils import timezone

from contest.access import phase_of
from contest.events import ExtraTimeChanged, publish
from contest.models import AuditEntry, Contest, Participation, User
from contest.rules.phases import Phase, has_begun, is_over, milliseconds
from contest.services.audit import minutes_in_words, note, optional_reason, require_reason, was_done
from contest.services.checks import require_staff
from contest.services.errors import Refused
from contest.services.locks import lock_participations
from contest.services.times import locked_contest, tell

YEARS = range(1970, 2200)
"""Far from where a change of time zone leads out of the calendar."""
MOST_MINUTES = 10_000
"""About a week: what is typed with a digit too many is refused."""
MOST_EXTRA_S = 24 * 3600

SCHEDULE = AuditEntry.Action.SCHEDULE


def change_schedule(
    contest: Contest, by: User, *, starts_at: datetime, ends_at: datetime, freeze_at: datetime | None, reason: str = ""
) -> Contest:
    """Move the contest's times. Open pages follow; the same times again change nothing."""
    with _changing(contest, by) as (locked, _):
        require_order(starts_at, ends_at, freeze_at)
        if (locked.starts_at, locked.ends_at, locked.freeze_at) == (starts_at, ends_at, freeze_at):
            return locked
        if locked.paused_at is not None:
            raise Refused("bad-request", "The contest is paused. Let it go on first, then change its times.")
        locked.starts_at, locked.ends_at, locked.freeze_at = starts_at, ends_at, freeze_at
        note(locked, by, SCHEDULE, f"Set the times: {_times(locked)}.", reason=optional_reason(reason))
        tell(locked, ["starts_at", "ends_at", "freeze_at"])
    return locked


def require_order(starts_at: datetime, ends_at: datetime, freeze_at: datetime | None) -> None:
    if any(moment is not None and moment.year not in YEARS for moment in (starts_at, ends_at, freeze_at)):
        raise Refused("bad-request", f"A contest lies in the years {YEARS.start} to {YEARS.stop - 1}.")
    if ends_at <= starts_at:
        raise Refused("bad-request", "The end must come after the start.")
    if freeze_at is not None and not starts_at <= freeze_at <= ends_at:
        raise Refused("bad-request", "The freeze must lie between start and end.")


def extend(contest: Contest, by: User, minutes: int, reason: str = "", form_key: str | None = None) -> Contest:
    """A later end (an earlier one for negative `minutes`). A freeze that has not come moves along; one that has
    come stays, or what it hides would be seen. The same `form_key` again does nothing."""
    with _changing(contest, by) as (locked, now):
        delta = _minutes(minutes)
        if was_done(form_key):
            return locked
        _require_not_closed(locked)
        reached = locked.paused_at or now
        ends_at = locked.ends_at + delta
        if ends_at <= reached and phase_of(locked, now) is not Phase.COMING:
            raise Refused(
                "bad-request", "With that end the contest would be over already. To end it, use “End it now”."
            )
        if locked.freeze_at is not None and reached < locked.freeze_at:
            locked.freeze_at = max(locked.freeze_at + delta, reached)
        locked.ends_at = ends_at
        require_order(locked.starts_at, locked.ends_at, locked.freeze_at)
        what = "Extended" if minutes > 0 else "Shortened"
        words = f"{what} the contest by {minutes_in_words(minutes * 60)}, to {_utc(ends_at)}."
        note(locked, by, SCHEDULE, words, reason=optional_reason(reason), form_key=form_key)
        tell(locked, ["ends_at", "freeze_at"])
    return locked


def shift(contest: Contest, by: User, minutes: int, reason: str = "", form_key: str | None = None) -> Contest:
    """Start, freeze and end `minutes` later, or earlier for negative ones. Only before the start: afterwards it would
    change every time that counts. The same `form_key` again does nothing."""
    with _changing(contest, by) as (locked, now):
        delta = _minutes(minutes)
        if was_done(form_key):
            return locked
        _require_not_closed(locked)
        if phase_of(locked, now) is not Phase.COMING:
            raise Refused("bad-request", "The contest has begun. Extend it or pause it instead.")
        locked.starts_at += delta
        locked.ends_at += delta
        locked.freeze_at = locked.freeze_at and locked.freeze_at + delta
        require_order(locked.starts_at, locked.ends_at, locked.freeze_at)
        later = "later" if minutes > 0 else "earlier"
        words = f"Moved the whole contest to {minutes_in_words(minutes * 60)} {later}: {_times(locked)}."
        note(locked, by, SCHEDULE, words, reason=optional_reason(reason), form_key=form_key)
        tell(locked, ["starts_at", "ends_at", "freeze_at"])
    return locked


def end_now(contest: Contest, by: User, reason: str = "") -> Contest:
    """The end is now, for everybody but those who have extra time of their own left. A freeze that had not come
    comes with it. Ending a contest that is over changes nothing."""
    with _changing(contest, by) as (locked, now):
        phase = phase_of(locked, now)
        if is_over(phase):
            return locked
        if not has_begun(phase):
            raise Refused("bad-request", "The contest has not begun, so it cannot be ended.")
        if locked.paused_at is not None:
            locked.pauses = [*locked.pauses, [milliseconds(locked.paused_at), milliseconds(now)]]
            locked.paused_at = None
        locked.ends_at = now
        locked.freeze_at = locked.freeze_at and min(locked.freeze_at, now)
        note(locked, by, SCHEDULE, f"Ended the contest at {_utc(now)}.", reason=optional_reason(reason))
        tell(locked, ["ends_at", "freeze_at", "paused_at", "pauses"])
    return locked


def show_final_standings(contest: Contest, by: User) -> Contest:
    """End the freeze: from now on everybody sees what staff see."""
    with _changing(contest, by) as (locked, now):
        if locked.unfrozen_at is not None:
            return locked
        if not is_over(phase_of(locked, now)):
            raise Refused("bad-request", "The freeze can be lifted when the contest is over.")
        locked.unfrozen_at = now
        note(locked, by, SCHEDULE, "Showed the final standings to everybody.")
        tell(locked, ["unfrozen_at"])
    return locked


def archive(contest: Contest, by: User) -> Contest:
    """Close the contest for good: read only, and its live streams come to their end."""
    with _changing(contest, by) as (locked, now):
        if locked.archived_at is not None:
            return locked
        if not is_over(phase_of(locked, now)):
            raise Refused("bad-request", "Only a contest that is over can be closed.")
        locked.archived_at = now
        note(locked, by, SCHEDULE, "Closed the contest for good.")
        tell(locked, ["archived_at"])
    return locked


def grant_extra_time(
    participation: Participation, by: User, seconds: int, reason: str, form_key: str | None = None
) -> Participation:
    """Add `seconds` to this contestant's own end, or take some back for a negative number; together never below 0.

    Their open pages, their right to submit and the window of their own time follow at once. Refused where it would
    change nothing: without a registration, without a reason, or if their end had passed all the same. The same
    `form_key` again does nothing.
    """
    require_staff(participation.contest, by)
    reason = require_reason(reason)
    with transaction.atomic():
        rows = lock_participations(Participation.objects.filter(pk=participation.pk))
        if not rows:
            raise Refused("not-found", "They are not registered any more.")
        row = rows[0]
        row.contest = contest = locked_contest(participation.contest)
        if was_done(form_key):
            return row
        now = timezone.now()
        extra_time_s = row.extra_time_s + seconds
        _require_sense(row, seconds, extra_time_s)
        if seconds > 0 and is_over(phase_of(contest, now, extra_time_s)):
            raise Refused("bad-request", "The contest would be over for them all the same; give more time.")
        row.extra_time_s = extra_time_s
        row.version += 1
        row.save(update_fields=["extra_time_s", "version"])
        words = _extra_time_words(row, seconds)
        note(contest, by, AuditEntry.Action.EXTRA_TIME, words, reason=reason, subject=row.user, form_key=form_key)
        publish(ExtraTimeChanged(row))
        if phase_of(contest, now) is Phase.ENDED:
            # Somebody competes again, or nobody any more: what others may see of the records is not the same.
            tell(contest, [])
    return row


# --- Parts ----------------------------------------------------------------------------------------


@contextmanager
def _changing(contest: Contest, by: User) -> Iterator[tuple[Contest, datetime]]:
    """The contest under its lock, in a transaction, and the moment of the change. Refused for others than staff."""
    require_staff(contest, by)
    with transaction.atomic():
        yield locked_contest(contest), timezone.now()


def _minutes(minutes: int) -> timedelta:
    if not 0 < abs(minutes) <= MOST_MINUTES:
        raise Refused("bad-request", f"Give a number of minutes from 1 to {MOST_MINUTES}.")
    return timedelta(minutes=minutes)


def _require_not_closed(contest: Contest) -> None:
    if contest.archived_at is not None:
        raise Refused("bad-request", "The contest is closed for good.")


def _times(contest: Contest) -> str:
    freeze = f", freeze {_utc(contest.freeze_at)}" if contest.freeze_at else ""
    return f"start {_utc(contest.starts_at)}{freeze}, end {_utc(contest.ends_at)}"


def _utc(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def _require_sense(participation: Participation, seconds: int, extra_time_s: int) -> None:
    if participation.state != Participation.State.REGISTERED:
        raise Refused("bad-request", "Only a registered contestant can be given extra time.")
    if seconds == 0:
        raise Refused("bad-request", "Say how much time to give.")
    if extra_time_s < 0:
        had = minutes_in_words(participation.extra_time_s)
        raise Refused("bad-request", f"They have {had} of extra time; no more than that can be taken back.")
    if extra_time_s > MOST_EXTRA_S:
        raise Refused("bad-request", "More than 24 hours of extra time cannot be given.")


def _extra_time_words(participation: Participation, seconds: int) -> str:
    name = participation.user.shown_name
    amount = minutes_in_words(seconds)
    done = f"Gave {name} {amount} of extra time" if seconds > 0 else f"Took {amount} of extra time back from {name}"
    return f"{done}; {minutes_in_words(participation.extra_time_s)} in all."
