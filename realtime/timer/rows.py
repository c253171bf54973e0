"""Rows of the timer: taking over a document's timer stream, reading accounts, and writing what was settled."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain

from django.db import connection

from contest.access import Rights
from contest.models import Contest, Participation
from realtime.models import TimerAccount, TimerSession
from realtime.timer.lease import Account, Interval, Page


@dataclass(frozen=True, slots=True)
class Session:
    """A timer stream as this node holds it. Every write names `session_epoch`; an older one changes nothing."""

    session_id: int
    session_epoch: int
    participation_id: int
    accumulated_ms: int


@dataclass(frozen=True, slots=True)
class Clock:
    """The database's clock, and the bounds of this process's monotonic clock at the same moment; milliseconds."""

    database_ms: int
    before_ms: float
    after_ms: float

    def is_step_from(self, earlier: Clock, tolerance_ms: float) -> bool:
        """Whether the database's clock moved against the monotonic one by more than can be uncertainty."""
        low, high = self.database_ms - self.after_ms, self.database_ms - self.before_ms
        earlier_low, earlier_high = earlier.database_ms - earlier.after_ms, earlier.database_ms - earlier.before_ms
        return low > earlier_high + tolerance_ms or high < earlier_low - tolerance_ms

    def of(self, monotonic_ms: float) -> int:
        """The database's time at an earlier moment of this process."""
        return self.database_ms - max(0, round(self.after_ms - monotonic_ms))


def take_over(contest: Contest, rights: Rights, client: str) -> Session | None:
    """Make (client, timer stream) this connection's: raise its epoch, in one statement. None: no participation."""
    participation = Participation.objects.filter(contest=contest, user_id=rights.user_id or 0).first()
    if participation is None:
        return None
    TimerAccount.objects.bulk_create([TimerAccount(participation=participation)], ignore_conflicts=True)
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
    account = TimerAccount.objects.get(pk=participation.pk)
    return Session(session_id, session_epoch, participation.pk, account.accumulated_ms)


def read_own_time_ms(contest_id: int, user_id: int) -> int:
    """Foreground time of one contestant in one contest. For pages: `contest.ports`."""
    accounts = TimerAccount.objects.filter(participation__contest_id=contest_id, participation__user_id=user_id)
    return accounts.values_list("accumulated_ms", flat=True).first() or 0


def read_clock() -> Clock:
    sql = (
        "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint"
        if connection.vendor == "postgresql"
        else "SELECT CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER)"
    )
    with connection.cursor() as cursor:
        before_ms = time.monotonic() * 1000
        cursor.execute(sql)
        (database_ms,) = cursor.fetchone()
    return Clock(database_ms, before_ms, time.monotonic() * 1000)


def lock_accounts(participation_ids: Iterable[int]) -> dict[int, tuple[Account, Interval]]:
    """Participation → its account and window, locked in order of id."""
    rows = TimerAccount.objects.select_related("participation__contest").filter(pk__in=set(participation_ids))
    return {
        row.pk: (
            Account(row.accumulated_ms, tuple((start, end) for start, end in row.intervals), row.closed_before_ms),
            _window(row.participation),
        )
        for row in rows.select_for_update(of=("self",)).order_by("pk")
    }


def _window(participation: Participation) -> Interval:
    contest = participation.contest
    end = contest.ends_at + timedelta(seconds=participation.extra_time_s)
    return _ms(contest.starts_at), _ms(end)


def _ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def lock_pages(sessions: Iterable[tuple[int, int]]) -> dict[int, Page]:
    """(session id, epoch) → last report of those that are still of that epoch, locked in order of id."""
    wanted = dict(sessions)
    rows = TimerSession.objects.filter(pk__in=wanted).select_for_update().order_by("pk")
    return {
        row.pk: Page(row.client_seq, row.arrived_ms, row.foreground, row.foreground_ms)
        for row in rows
        if row.session_epoch == wanted[row.pk]
    }


def write_accounts(accounts: dict[int, Account]) -> None:
    rows = [
        (key, account.accumulated_ms, json.dumps(account.intervals), account.closed_before_ms)
        for key, account in accounts.items()
    ]
    casts = ("bigint", "bigint", "jsonb", "bigint")
    _update(
        f"WITH settled (id, accumulated_ms, intervals, closed_before_ms) AS ({_values(len(rows), casts)})"  # noqa: S608
        " UPDATE realtime_timeraccount SET accumulated_ms = settled.accumulated_ms,"
        " intervals = settled.intervals, closed_before_ms = settled.closed_before_ms"
        " FROM settled WHERE realtime_timeraccount.participation_id = settled.id",
        rows,
    )


def write_pages(pages: dict[int, tuple[int, Page]]) -> None:
    """Session id → (epoch, last report); the epoch is checked in the write itself."""
    rows = [
        (key, epoch, page.client_seq, page.arrived_ms, page.foreground, page.foreground_ms)
        for key, (epoch, page) in pages.items()
    ]
    casts = ("bigint", "bigint", "bigint", "bigint", "boolean", "bigint")
    columns = "id, session_epoch, client_seq, arrived_ms, foreground, foreground_ms"
    _update(
        f"WITH reported ({columns}) AS ({_values(len(rows), casts)})"  # noqa: S608
        " UPDATE realtime_timersession SET client_seq = reported.client_seq, arrived_ms = reported.arrived_ms,"
        " foreground = reported.foreground, foreground_ms = reported.foreground_ms"
        " FROM reported WHERE realtime_timersession.id = reported.id"
        " AND realtime_timersession.session_epoch = reported.session_epoch",
        rows,
    )


def _values(count: int, casts: Sequence[str]) -> str:
    """`VALUES` rows; PostgreSQL must be told the types, SQLite has none to tell."""
    is_postgresql = connection.vendor == "postgresql"
    row = ", ".join(f"%s::{cast}" if is_postgresql else "%s" for cast in casts)
    return "VALUES " + ", ".join([f"({row})"] * count)


def _update(sql: str, rows: Sequence[tuple[int | str | bool | None, ...]]) -> None:
    if rows:
        with connection.cursor() as cursor:
            cursor.execute(sql, list(chain.from_iterable(rows)))
