"""The log, reading half: heads, events after a cursor, and pruning, which never leaves a hole.

A topic that nothing was ever appended to has no row. Its head is then `seq` 0 in the log's own
epoch, which is what the row will be made with: connecting writes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import Max

from realtime.models import LogEpoch, LogEvent, Topic
from realtime.wire.protocol import Cursor

WANTS_A_QUERY = 400
"""Topics read by one statement: SQLite allows 32,766 parameters, and a plan stays small."""


@dataclass(frozen=True, slots=True)
class Head:
    epoch: str
    seq: int
    floor: int = 0

    @property
    def cursor(self) -> Cursor:
        return Cursor(self.epoch, self.seq)

    def serves(self, cursor: Cursor) -> bool:
        """Whether everything after `cursor` is still here. Otherwise the reader needs a snapshot."""
        return cursor.epoch == self.epoch and self.floor <= cursor.seq <= self.seq


@dataclass(frozen=True, slots=True)
class Entry:
    seq: int
    name: str
    data: str
    object_key: str
    is_kept: bool
    appended_at: datetime


@dataclass(frozen=True, slots=True)
class Want:
    """Events of topic `key` with `after` < seq ≤ `upto`."""

    key: str
    after: int
    upto: int


@dataclass(frozen=True, slots=True)
class Page:
    head: Head
    entries: list[Entry]


def read_heads(keys: Iterable[str]) -> dict[str, Head]:
    """The heads of `keys`, also of topics that do not exist yet."""
    wanted = sorted(set(keys))
    found: dict[str, Head] = {}
    for start in range(0, len(wanted), WANTS_A_QUERY):
        rows = Topic.objects.filter(key__in=wanted[start : start + WANTS_A_QUERY])
        found |= {key: Head(epoch, seq, floor) for key, epoch, seq, floor in rows.values_list(*_HEAD)}
    if len(found) < len(wanted):
        unborn = Head(site_epoch(), 0)
        found |= {key: unborn for key in wanted if key not in found}
    return found


_HEAD = ("key", "epoch", "head", "floor")


def site_epoch() -> str:
    return LogEpoch.objects.values_list("epoch", flat=True).get(pk=1)


def read_pages(wants: Sequence[Want]) -> list[Page]:
    """One query for all `wants` (a few for very many): the answer to each, in their order."""
    pages: list[Page] = []
    for start in range(0, len(wants), WANTS_A_QUERY):
        pages += _read_pages(wants[start : start + WANTS_A_QUERY])
    return pages


def _read_pages(wants: Sequence[Want]) -> list[Page]:
    pages: dict[int, Page] = {}
    parameters: list[Any] = []
    for index, want in enumerate(wants):
        parameters += [index, want.key, want.after, want.upto]
    for index, epoch, head, floor, seq, *rest in _rows(len(wants), parameters):
        page = pages.setdefault(index, Page(Head(epoch, head, floor), []))
        if seq is not None:
            name, data, object_key, is_kept, appended_at = rest
            page.entries.append(Entry(seq, name, data, object_key, bool(is_kept), _moment(appended_at)))
    return [pages[index] for index in range(len(wants))]


def _rows(count: int, parameters: list[Any]) -> list[tuple[Any, ...]]:
    row = "(%s::int, %s, %s::bigint, %s::bigint)" if connection.vendor == "postgresql" else "(%s, %s, %s, %s)"
    with connection.cursor() as cursor:
        cursor.execute(
            f"WITH want (i, key, low, high) AS (VALUES {', '.join([row] * count)})"  # noqa: S608
            # A topic without a row stands at 0 of the log's own epoch, as in `read_heads`.
            " SELECT want.i, COALESCE(topic.epoch, log.epoch), COALESCE(topic.head, 0), COALESCE(topic.floor, 0),"
            " event.seq, event.name, event.data, event.object_key, event.is_kept, event.appended_at"
            " FROM want CROSS JOIN realtime_logepoch log LEFT JOIN realtime_topic topic ON topic.key = want.key"
            " LEFT JOIN realtime_logevent event"
            " ON event.topic_id = topic.id AND event.seq > want.low AND event.seq <= want.high"
            " ORDER BY want.i, event.seq",
            parameters,
        )
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


def _moment(value: datetime) -> datetime:
    """SQLite stores times in UTC without saying so."""
    return value if value.tzinfo else value.replace(tzinfo=UTC)


def without_replaced(entries: Sequence[Entry]) -> list[Entry]:
    """`entries` less those that a newer one among them replaces; the last of each object always stays."""
    newest = {entry.object_key: entry.seq for entry in entries if entry.object_key}
    return [entry for entry in entries if entry.is_kept or newest.get(entry.object_key) == entry.seq]


def prune(key: str, *, before: datetime | None = None, keep: int | None = None, floor: int = 0) -> int:
    """Forget events of `key` older than `before`, beyond the newest `keep` and up to `floor`; answers how many.

    The floor moves first: a reader in between sees "too old", never a hole.
    """
    with transaction.atomic():
        topic = Topic.objects.select_for_update().filter(key=key).first()
        if topic is None:
            return 0
        events = LogEvent.objects.filter(topic_id=topic.pk)
        aged = events.filter(appended_at__lt=before).aggregate(last=Max("seq"))["last"] if before else 0
        floor = max(topic.floor, aged or 0, topic.head - keep if keep is not None else 0, min(floor, topic.head))
        Topic.objects.filter(pk=topic.pk).update(floor=floor)
        gone, _ = events.filter(seq__lte=floor).delete()
    return gone
