"""Reports who is connected here: once a second the difference to what was written before, if there is one.

Who leaves and is back within the second has not been away. Everybody's announcements are looked at, because
they carry what people must not miss; a person with several pages counts once, and as well as the best of them.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from django.utils import timezone

from realtime import database
from realtime.log.jury import JuryNews
from realtime.presence import rows
from realtime.presence.rows import Here, Key

logger = logging.getLogger(__name__)

LOOK_S = 1.0
BEHIND_AFTER = timedelta(seconds=2)
"""A connection is behind for a moment whenever something happens; this long is no moment."""

Sighting = tuple[Key, bool]
"""One connection: whose it is, and whether it is behind."""


class Reporter:
    """`look` answers all connections of this node that are attached to announcements; called in the event loop."""

    def __init__(self, node: str, look: Callable[[], Iterable[Sighting]]) -> None:
        self._node = node
        self._look = look
        self._written: dict[Key, Here] = {}
        self._came: dict[Key, datetime] = {}
        self._fell_behind: dict[Key, datetime] = {}
        self._reported_s = float("-inf")
        self.news = JuryNews("presence.changed", rows.changed_people)

    async def run(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            try:
                await self._round()
            except Exception as error:  # the next round has the same news, and more
                logger.warning("who is connected could not be reported, trying again: %s", error)

    async def withdraw(self) -> None:
        """This node ends in order: from now on nobody is here."""
        self._look, self._written = tuple, {}
        if self._reported_s > float("-inf"):
            await database.run(database.writing, rows.withdraw, self._node)

    async def _round(self) -> None:
        here = self._see()
        fresh = {key: at for key, at in here.items() if self._written.get(key) != at}
        gone = [key for key in self._written if key not in here]
        loop_s = asyncio.get_running_loop().time()
        is_due = loop_s - self._reported_s >= rows.HEARTBEAT_S
        if fresh or gone or (here and is_due):
            if not await database.run(database.writing, rows.report, self._node, fresh, gone):
                await database.run(database.writing, rows.report, self._node, here, gone)
            self._reported_s = loop_s
            self._written = here
            self._tell([*fresh, *gone])
        if is_due:
            for contest_id, user_ids in (await database.run(database.writing, rows.bury_silent)).items():
                self.news.add(contest_id, user_ids)

    def _see(self) -> dict[Key, Here]:
        """Everybody as of now. What a person's connections have in common is that none is any better."""
        now = timezone.now()
        is_behind: dict[Key, bool] = {}
        for key, behind in self._look():
            is_behind[key] = behind and is_behind.get(key, True)
        self._came = {key: self._came.get(key, now) for key in is_behind}
        self._fell_behind = {key: self._fell_behind.get(key, now) for key, behind in is_behind.items() if behind}
        long_behind = {key: at for key, at in self._fell_behind.items() if now - at >= BEHIND_AFTER}
        return {key: Here(since, long_behind.get(key)) for key, since in self._came.items()}

    def _tell(self, keys: Iterable[Key]) -> None:
        for contest_id, user_id in keys:
            self.news.add(contest_id, (user_id,))
