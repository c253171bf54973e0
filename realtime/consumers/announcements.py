"""Notices, private answers, the contest's schedule; own final verdicts for pages that show no list."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from contest.models import User
from contest.presenters import present_clarification
from contest.services.clarifications import TEXT_LIMIT_CHARS, ask_clarification
from contest.services.receipts import PAIRS_LIMIT, Step
from realtime import database, streams
from realtime.consumers.base import StreamConsumer
from realtime.consumers.commands import Arrived, Data, Handler
from realtime.entry.attach import Attached
from realtime.log.reading import Entry
from realtime.wire.protocol import Malformed, free_text, integer, string

SENT = frozenset({"announcement.posted", "announcement.edited"})

Pairs = list[tuple[int, int]]


def _read_notices(data: Data) -> Pairs:
    given = data.get("notices")
    if not isinstance(given, list) or len(given) > PAIRS_LIMIT or not all(isinstance(x, dict) for x in given):
        raise Malformed("notices is no list of notices")
    return [(integer(each, "id"), integer(each, "version")) for each in given]


def _read_ask(data: Data) -> tuple[str | None, str]:
    problem = None if data.get("problem") is None else string(data, "problem", 8)
    return problem, free_text(data, "text", 4 * TEXT_LIMIT_CHARS)


def _as_data(pairs: Pairs) -> Data:
    return {"notices": [{"id": notice_id, "version": version} for notice_id, version in pairs]}


@lru_cache(maxsize=64)
def _pair_in(data: str) -> tuple[int, int]:
    """Kept: thousands of connections are handed the same event, one after the other."""
    notice: dict[str, Any] = json.loads(data)
    return notice["id"], notice["version"]


class Announcements(StreamConsumer):
    stream = streams.ANNOUNCEMENTS

    def on_attached(self, attached: Attached) -> None:
        self.connection.observe = self._observe
        self.node.ledger.sent(self.contest, self.user, attached.unsent)

    def _observe(self, entry: Entry) -> None:
        if entry.name in SENT:
            self.node.ledger.sent(self.contest, self.user, [_pair_in(entry.data)])

    async def _delivered(self, arrived: Arrived) -> Data:
        return _as_data(await self.node.ledger.receive(Step.DELIVERED, self.contest, self.user, arrived.data))

    async def _ack(self, arrived: Arrived) -> Data:
        return _as_data(await self.node.ledger.receive(Step.CONFIRMED, self.contest, self.user, arrived.data))

    async def _ask(self, arrived: Arrived) -> Data:
        def ask(user: User, problem: str | None, text: str) -> Data:
            asked = ask_clarification(self.contest, user, problem_label=problem, text=text, command_key=arrived.key)
            return {"clarification": present_clarification(asked)}

        return await database.run(database.commands, ask, self.user, *arrived.data)

    commands = {
        "delivered": Handler(_read_notices, _delivered),
        "ack": Handler(_read_notices, _ack),
        "ask": Handler(_read_ask, _ask),
    }
