"""One summary for each record, for lists: own ones; for staff, and after the end for those entitled, everybody's."""

from __future__ import annotations

from contest.selectors import live
from contest.services.errors import Refused
from realtime import database, streams
from realtime.consumers.base import StreamConsumer
from realtime.consumers.commands import Arrived, Data, Handler
from realtime.entry.attach import Attached
from realtime.log.reading import Entry
from realtime.wire.protocol import SAFE_INTEGER, Malformed

WATCHED_LIMIT = 200
IDS_LIMIT = 10_000


def _read_watch(data: Data) -> list[int]:
    ids = data.get("ids")
    if not isinstance(ids, list) or len(ids) > IDS_LIMIT:
        raise Malformed("ids is no list of records")
    if not all(isinstance(each, int) and not isinstance(each, bool) and 0 < each <= SAFE_INTEGER for each in ids):
        raise Malformed("ids holds what is no number of a record")
    return ids


class Records(StreamConsumer):
    """Submitted and final summaries go out always; progress goes out for watched records only."""

    stream = streams.RECORDS
    watched: frozenset[str] | None = None
    """Object keys; None: nothing was chosen yet, and own records all show their progress."""

    def on_attached(self, attached: Attached) -> None:
        self.connection.leaves_out = self._leaves_out

    def _leaves_out(self, entry: Entry) -> bool:
        if entry.is_kept:
            return False
        if self.watched is None:
            return self.attached is not None and "all" in self.attached.admission.topics
        return entry.object_key not in self.watched

    async def _watch(self, arrived: Arrived) -> Data:
        ids = arrived.data
        if len(ids) > WATCHED_LIMIT:
            raise Refused("bad-request", f"At most {WATCHED_LIMIT} records can be watched.")
        assert self.attached is not None
        rights = self.attached.admission.rights
        records = await database.run(database.commands, live.read_watched, self.contest, rights, ids)
        if records is None:
            raise Refused("forbidden", "One of these records is not yours to watch.")
        self._choose(ids)
        return {"records": records}

    def _choose(self, ids: list[int]) -> None:
        self.watched = frozenset(f"record:{each}" for each in ids)

    def steering(self, arrived: Arrived) -> Data | None:
        return None if self.watched is None else {"ids": arrived.data}

    def steer(self, name: str, data: Data) -> None:
        if name == "watch":
            self._choose(_read_watch(data))

    commands = {"watch": Handler(_read_watch, _watch)}
