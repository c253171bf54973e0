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
from realtime.runs import BEAT_MS

logger = logging.getLogger(__name__)

LOOK_S = 1.0
BEHIND_AFTER = timedelta(seconds=2)
"""A connection is behind for a moment whenever something happens; this long is no moment."""

Sighting = tuple[Key, bool]
"""One connection: whose it is, and whether it is behind."""


class Reporter:
    """`run` answers the row of this node's run once there is one; `look` all connections of this node that are
    attached to announcements. Both are called in the event loop."""

    def __init__(self, run: Callable[[], int | None], look: Callable[[], Iterable[Sighting]]) -> None:
        self._run = run
        self._look = look
        self._written: dict[Key, Here] = {}
        self._came: dict[Key, datetime] = {}
        self._fell_behind: dict[Key, datetime] = {}
        self._looked_s = float("-inf")
        """For people of nodes that are silent, maybe this one."""
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
        run = self._run()
        if run is not None:
            await database.run(database.writing, rows.withdraw, run)

    async def _round(self) -> None:
        run, here = self._run(), self._see()
        if run is None:
            return
        fresh = {key: at for key, at in here.items() if self._written.get(key) != at}
        gone = [key for key in self._written if key not in here]
        loop_s = asyncio.get_running_loop().time()
        is_due = loop_s - self._looked_s >= BEAT_MS / 1000
        if fresh or gone or (here and is_due):
            if not await self._write(run, fresh, gone, has_written=bool(self._written)):
                await self._write(run, here, gone, has_written=False)
            self._written = here
            self._tell([*fresh, *gone])
        if is_due:
            self._looked_s = loop_s
            for contest_id, user_ids in (await database.run(database.writing, rows.bury_silent)).items():
                self.news.add(contest_id, user_ids)

    async def _write(self, run: int, here: dict[Key, Here], gone: list[Key], *, has_written: bool) -> bool:
        return await database.run(database.writing, rows.report, run, here, gone, has_written=has_written)

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
