"""Rows of the timer: taking over a document's timer stream, reading accounts, and writing what was settled."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import chain

from django.db import connection

from contest.access import Rights, schedule_of
from contest.models import Contest, Participation
from contest.rules.own_time import Stretch
from contest.rules.phases import milliseconds
from realtime.clock import database_ms
from realtime.models import TimerAbsence, TimerAccount, TimerSession, TimerStretch
from realtime.timer.absences import Absence, Last
from realtime.timer.lease import Account, Interval, Page


@dataclass(frozen=True, slots=True)
class Session:
    """A timer stream as this node holds it. Every write names `session_epoch`; an older one changes nothing."""

    session_id: int
    session_epoch: int
    participation_id: int
    accumulated_ms: int


def take_over(contest: Contest, rights: Rights, client: str) -> Session | None:
    """Make (client, timer stream) this connection's: raise its epoch, in one statement. None: no participation."""
    participation = Participation.objects.filter(contest=contest, user_id=rights.user_id or 0).first()
    if participation is None:
        return None
    TimerAccount.objects.bulk_create([TimerAccount(participation=participation)], ignore_conflicts=True)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO realtime_timersession (client, participation_id, session_epoch, attached_ms,"  # noqa: S608
            " client_seq, arrived_ms, foreground, foreground_ms, clock_steps)"
            f" VALUES (%s, %s, 1, {database_ms()}, -1, NULL, %s, 0, 0)"
            " ON CONFLICT (client, participation_id) DO UPDATE"
            " SET session_epoch = realtime_timersession.session_epoch + 1, attached_ms = excluded.attached_ms"
            " RETURNING id, session_epoch",
            [client, participation.pk, False],
        )
        session_id, session_epoch = cursor.fetchone()
    account = TimerAccount.objects.get(pk=participation.pk)
    return Session(session_id, session_epoch, participation.pk, account.accumulated_ms)


def find_session(contest_id: int, user_id: int, client: str, session_epoch: int) -> Session | None:
    """The timer stream of a document as some node has taken it over. Whether it still holds, the write finds out."""
    found = TimerSession.objects.filter(
        client=client, participation__contest_id=contest_id, participation__user_id=user_id
    ).first()
    return Session(found.pk, session_epoch, found.participation_id, 0) if found else None


def read_own_time_ms(contest_id: int, user_id: int) -> int:
    """Foreground time of one contestant in one contest. For pages: `contest.ports`."""
    accounts = TimerAccount.objects.filter(participation__contest_id=contest_id, participation__user_id=user_id)
    return accounts.values_list("accumulated_ms", flat=True).first() or 0


@dataclass(frozen=True, slots=True)
class Holding:
    """One participation while its reports are settled: its account, when time counts for it, and what is told of it."""

    account: Account
    windows: tuple[Interval, ...]
    stretch: Stretch | None
    last: Last


def lock_accounts(participation_ids: Iterable[int]) -> dict[int, Holding]:
    """Participation → what is held of it, locked in order of id."""
    rows = TimerAccount.objects.select_related("participation__contest").filter(pk__in=set(participation_ids))
    return {row.pk: _holding(row) for row in rows.select_for_update(of=("self",)).order_by("pk")}


def _holding(row: TimerAccount) -> Holding:
    intervals = tuple((start, end) for start, end in row.intervals)
    return Holding(
        Account(row.accumulated_ms, intervals, row.closed_before_ms, row.clock_steps),
        windows_of(row.participation),
        Stretch(*row.stretch) if row.stretch else None,
        Last(row.last_ms, row.last_foreground, row.last_node),
    )


def windows_of(participation: Participation) -> tuple[Interval, ...]:
    """When time counts for this participation, on the wall clock: apart, in order; no pause is in one."""
    extra_time = timedelta(seconds=participation.extra_time_s)
    windows = schedule_of(participation.contest).windows(extra_time)
    return tuple((milliseconds(start), milliseconds(end)) for start, end in windows)


def lock_pages(session_ids: Iterable[int]) -> dict[int, tuple[int, Page]]:
    """Session id → (epoch, last report), locked in order of id. A batch may hold reports of several epochs of one."""
    rows = TimerSession.objects.filter(pk__in=set(session_ids)).select_for_update().order_by("pk")
    return {
        row.pk: (
            row.session_epoch,
            Page(row.client_seq, row.arrived_ms, row.foreground, row.foreground_ms, row.clock_steps),
        )
        for row in rows
    }


def write_accounts(holdings: dict[int, Holding]) -> None:
    rows = [(key, *_account_columns(holding)) for key, holding in holdings.items()]
    types = ("bigint", "bigint", "jsonb", "bigint", "integer", "jsonb", "bigint", "boolean", "varchar")
    counted = ("accumulated_ms", "intervals", "closed_before_ms", "clock_steps")
    names = (*counted, "stretch", "last_ms", "last_foreground", "last_node")
    _update("realtime_timeraccount", ("participation_id",), names, types, rows)


def _account_columns(holding: Holding) -> tuple[int | str | bool | None, ...]:
    account, stretch, last = holding.account, holding.stretch, holding.last
    found = None if stretch is None else json.dumps([stretch.starts_ms, stretch.ends_ms, stretch.counted_ms])
    counted = (account.accumulated_ms, json.dumps(account.intervals), account.closed_before_ms, account.clock_steps)
    return (*counted, found, last.arrived_ms, last.foreground, last.node)


def write_pages(pages: dict[int, tuple[int, Page]]) -> None:
    """Session id → (epoch, last report). The write itself names the epoch."""
    rows = [
        (key, epoch, page.client_seq, page.arrived_ms, page.foreground, page.foreground_ms, page.clock_steps)
        for key, (epoch, page) in pages.items()
    ]
    types = ("bigint", "bigint", "bigint", "bigint", "boolean", "bigint", "integer")
    names = ("client_seq", "arrived_ms", "foreground", "foreground_ms", "clock_steps")
    _update("realtime_timersession", ("id", "session_epoch"), names, types, rows)


def write_history(stretches: Sequence[tuple[int, Stretch]], absences: Sequence[tuple[int, Absence]]) -> None:
    """(participation, what became history of it)."""
    if stretches:
        TimerStretch.objects.bulk_create(
            TimerStretch(
                participation_id=key, starts_ms=each.starts_ms, ends_ms=each.ends_ms, counted_ms=each.counted_ms
            )
            for key, each in stretches
        )
    if absences:
        TimerAbsence.objects.bulk_create(
            TimerAbsence(
                participation_id=key,
                starts_ms=each.starts_ms,
                ends_ms=each.ends_ms,
                why=each.why.value,
                cause=each.cause[:20],
                node=each.node[:120],
            )
            for key, each in absences
        )


Row = tuple[int | str | bool | None, ...]


def _update(table: str, keys: Sequence[str], names: Sequence[str], types: Sequence[str], rows: Sequence[Row]) -> None:
    """Write all `rows` (their keys, then the named columns) in one statement. Raises RuntimeError unless all are there:
    they are locked, so none can have gone."""
    if not rows:
        return
    # Both databases name the columns of a bare VALUES column1, column2 …
    matches = " AND ".join(f"{table}.{name} = new.column{at}" for at, name in enumerate(keys, 1))
    changes = ", ".join(f"{name} = new.column{at}" for at, name in enumerate(names, len(keys) + 1))
    sql = f"UPDATE {table} SET {changes} FROM ({_values(len(rows), types)}) AS new WHERE {matches}"  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(sql, list(chain.from_iterable(rows)))
        if cursor.rowcount != len(rows):
            raise RuntimeError(f"{cursor.rowcount} of {len(rows)} rows of {table} were written")


def _values(count: int, types: Sequence[str]) -> str:
    """`VALUES` rows; PostgreSQL must be told the types, SQLite has none to tell."""
    is_postgresql = connection.vendor == "postgresql"
    row = ", ".join(f"%s::{each}" if is_postgresql else "%s" for each in types)
    return "VALUES " + ", ".join([f"({row})"] * count)
