"""The log, writing half: events are rows in the same transaction as the change that they report.

`append` collects; all appends of one transaction are written right before its commit, in order of
topic, so that two transactions never wait for each other's heads in a circle. Numbers come from
the topic's head row, whose lock is held until the commit: they become visible in order and without
holes, which an auto-increment id would not.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db import DatabaseError, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils import timezone

from realtime.log import hints
from realtime.models import LogEpoch
from realtime.wire.frames import encode

T = TypeVar("T")

ROWS_A_STATEMENT = 4_000
"""SQLite takes 32,766 parameters, and an event has seven: a notice for many chosen contestants is many events."""


@dataclass(eq=False, slots=True)
class Append:
    """One collected event. Django keeps it with the transaction's commit hooks, so a rolled-back
    savepoint drops it with everything else of that savepoint; called after the commit, it gives the hint.
    """

    topic: str
    name: str
    data: str
    object_key: str
    is_kept: bool
    is_written: bool = False

    def __call__(self) -> None:
        hints.give(self.topic)


def append(topic: str, name: str, data: dict[str, Any], *, object_key: str = "", is_kept: bool = True) -> None:
    """Log the event `name` for the readers of `topic` when the running transaction commits.

    `object_key` names what the event tells the state of; with `is_kept` False a newer event of the
    same object may replace this one for readers who are behind. Raises RuntimeError outside a transaction.
    """
    connection = transaction.get_connection()
    if not connection.in_atomic_block:
        raise RuntimeError(f"{name} was appended outside a transaction")
    _write_before_commit(connection)
    transaction.on_commit(Append(topic, name, encode(data), object_key, is_kept), robust=True)


def write_pending(connection: BaseDatabaseWrapper) -> None:
    """Write what the running transaction has collected so far. Raises DatabaseError."""
    hooks = [hook[1] for hook in connection.run_on_commit]
    pending = [hook for hook in hooks if isinstance(hook, Append) and not hook.is_written]
    if pending:
        _write(connection, sorted(pending, key=lambda each: each.topic))
    for each in pending:
        each.is_written = True


def _write_before_commit(connection: BaseDatabaseWrapper) -> None:
    """Django has hooks after a commit but none before it: wrap this connection's `commit`, once."""
    if hasattr(connection.commit, "writes_the_log"):
        return
    commit: Callable[[], None] = connection.commit

    def write_then_commit() -> None:
        try:
            write_pending(connection)
        except DatabaseError:
            raise
        except Exception as error:  # only a DatabaseError makes Django roll back here
            raise DatabaseError("the events of this transaction could not be written") from error
        commit()

    write_then_commit.writes_the_log = True  # type: ignore[attr-defined]
    connection.commit = write_then_commit  # type: ignore[method-assign]


def _write(connection: BaseDatabaseWrapper, appends: list[Append]) -> None:
    counts = Counter(each.topic for each in appends)
    topics: dict[str, tuple[int, int]] = {}
    for part in _parts(list(counts.items())):
        topics |= _raise_heads(connection, part)
    next_seq = {key: head - counts[key] + 1 for key, (_, head) in topics.items()}
    now = connection.ops.adapt_datetimefield_value(timezone.now())
    rows: list[tuple[Any, ...]] = []
    for each in appends:
        topic_id = topics[each.topic][0]
        rows.append((topic_id, next_seq[each.topic], each.name, each.data, each.object_key, each.is_kept, now))
        next_seq[each.topic] += 1
    for part_of_rows in _parts(rows):
        _insert(connection, part_of_rows)


def _parts(items: Sequence[T]) -> Iterator[Sequence[T]]:
    return (items[start : start + ROWS_A_STATEMENT] for start in range(0, len(items), ROWS_A_STATEMENT))


def _insert(connection: BaseDatabaseWrapper, rows: Sequence[tuple[Any, ...]]) -> None:
    values = ", ".join(["(%s, %s, %s, %s, %s, %s, %s)"] * len(rows))
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO realtime_logevent (topic_id, seq, name, data, object_key, is_kept, appended_at)"  # noqa: S608
            f" VALUES {values}",
            [value for row in rows for value in row],
        )


def _this_change(connection: BaseDatabaseWrapper) -> str:
    """SQL: what the tail looks by, for the topics that the running transaction changes."""
    if connection.vendor == "postgresql":
        return "pg_current_xact_id()::text::bigint"
    # Writers of SQLite come one after the other, so this counts in order of commit.
    return "(SELECT COALESCE(MAX(change), 0) + 1 FROM realtime_topic)"


def _raise_heads(connection: BaseDatabaseWrapper, counts: Sequence[tuple[str, int]]) -> dict[str, tuple[int, int]]:
    """Key → (id, new head), taking each head's lock in the order of `counts`, which is the order of keys."""
    # The epoch and the mark of the change stand in the statement once, not once a row: planning a thousand
    # subqueries takes PostgreSQL longer than all the rest.
    row = "(%s, CAST(%s AS bigint))"
    with connection.cursor() as cursor:
        cursor.execute(
            f"WITH appended (key, count) AS (VALUES {', '.join([row] * len(counts))})"  # noqa: S608
            " INSERT INTO realtime_topic (key, epoch, head, floor, change)"
            f" SELECT key, (SELECT epoch FROM realtime_logepoch), count, 0, {_this_change(connection)} FROM appended"
            " WHERE true"  # or SQLite takes ON CONFLICT for a join's ON
            " ON CONFLICT (key) DO UPDATE SET head = realtime_topic.head + excluded.head, change = excluded.change"
            " RETURNING key, id, head",
            [value for key, count in counts for value in (key, count)],
        )
        return {key: (topic_id, head) for key, topic_id, head in cursor.fetchall()}


def draw_epoch(**_: object) -> None:
    """Give the log its epoch when the tables are made."""
    LogEpoch.objects.get_or_create(pk=1, defaults={"epoch": secrets.token_hex(8)})


def reset_epochs() -> None:
    """The log is not the same any more (restored from a backup): every reader starts from a snapshot.

    Those who are connected, too: the tail finds every topic changed.
    """
    epoch = secrets.token_hex(8)
    with transaction.atomic(), transaction.get_connection().cursor() as cursor:
        if cursor.db.vendor == "postgresql":
            # No append in between: it could make a topic of the old epoch, or hold one head and wait for another.
            cursor.execute("LOCK TABLE realtime_topic IN EXCLUSIVE MODE")
        LogEpoch.objects.update_or_create(pk=1, defaults={"epoch": epoch})
        cursor.execute(
            f"UPDATE realtime_topic SET epoch = %s, change = {_this_change(cursor.db)}",  # noqa: S608
            [epoch],
        )
