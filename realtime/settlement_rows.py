"""Rows of the timer: taking over a document's timer stream, and reading what was accumulated."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import connection

from contest.access import Rights
from contest.models import Contest, Participation
from realtime.models import TimerAccount


@dataclass(frozen=True, slots=True)
class Session:
    """A timer stream as this node holds it. Every write names `session_epoch`; an older one changes nothing."""

    session_id: int
    session_epoch: int
    participation_id: int
    accumulated_ms: int


def take_over(contest: Contest, rights: Rights, client: str) -> Session | None:
    """Make (client, timer stream) this connection's: raise its epoch, in one statement. None: no participation."""
    mine = Participation.objects.filter(contest=contest, user_id=rights.user_id or 0)
    participation = mine.first()
    if participation is None:
        return None
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO realtime_timersession"
            " (client, participation_id, session_epoch, client_seq, arrived_ms, foreground, foreground_ms)"
            " VALUES (%s, %s, 1, -1, NULL, %s, 0)"
            " ON CONFLICT (client, participation_id)"
            " DO UPDATE SET session_epoch = realtime_timersession.session_epoch + 1"
            " RETURNING id, session_epoch",
            [client, participation.pk, False],
        )
        session_id, session_epoch = cursor.fetchone()
    return Session(session_id, session_epoch, participation.pk, read_accumulated_ms(participation.pk))


def read_accumulated_ms(participation_id: int) -> int:
    account = TimerAccount.objects.filter(pk=participation_id).first()
    return account.accumulated_ms if account else 0


def read_own_time_ms(contest_id: int, user_id: int) -> int:
    """Foreground time of one contestant in one contest. For pages: `contest.ports`."""
    account = TimerAccount.objects.filter(participation__contest_id=contest_id, participation__user_id=user_id).first()
    return account.accumulated_ms if account else 0
