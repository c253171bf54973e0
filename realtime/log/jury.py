"""News that staff of a contest are told at most once a second, however much happens on however many nodes.

Each node gathers what has changed and asks the store for its turn; who does not get it keeps what it has
gathered and asks again. So nothing is left out, and what is told is read at the moment of telling. Whoever is
behind is told the newest alone: these are news, and the state is for the asking.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from contest.models import Contest
from realtime import database
from realtime.log.append import append
from realtime.log.topics import of_jury
from realtime.models import JuryTurn

logger = logging.getLogger(__name__)

PERIOD_S = 1.0
TICK_S = 0.25
RETRY_S = 2.0
"""Wait after a failure."""
SET_BACK_S = 2.0
"""A turn that was taken so far in the future was taken before the database's clock was set back. Less is no sign of
that: of two statements the one that began first may come second."""

Compose = Callable[[int, set[int]], dict[str, Any]]
"""(contest id, ids of what has changed) → the event's data. Runs in a thread, inside the transaction."""


class JuryNews:
    """One kind of event. `add` from the event loop; `run` is a loop of the node."""

    def __init__(self, name: str, compose: Compose) -> None:
        self._name = name
        self._compose = compose
        self._changed: dict[int, set[int]] = defaultdict(set)
        self._not_before: dict[int, float] = {}

    def add(self, contest_id: int, ids: Iterable[int]) -> None:
        self._changed[contest_id].update(ids)

    async def run(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            now = asyncio.get_running_loop().time()
            for contest_id in [each for each in self._changed if self._not_before.get(each, 0.0) <= now]:
                await self._tell(contest_id, now)

    async def _tell(self, contest_id: int, now: float) -> None:
        ids = self._changed.pop(contest_id)
        try:
            is_told = await database.run(database.writing, self._write, contest_id, ids)
        except Exception as error:
            logger.warning("staff could not be told of %s, trying again: %s", self._name, error)
            self._not_before[contest_id] = now + RETRY_S
            is_told = False
        else:
            self._not_before[contest_id] = now + (PERIOD_S if is_told else 0.0)
        if not is_told:
            self._changed[contest_id].update(ids)

    def _write(self, contest_id: int, ids: set[int]) -> bool:
        with transaction.atomic():
            if not Contest.objects.filter(pk=contest_id).exists():
                return True  # deleted meanwhile: there is nobody left to tell
            if not take_turn(contest_id, self._name):
                return False
            data = self._compose(contest_id, ids)
            append(of_jury(contest_id), self._name, data, object_key=self._name, is_kept=False)
        return True


def take_turn(contest_id: int, name: str) -> bool:
    """Whether the caller may tell now; then nobody else may for a second. Inside the transaction of the telling."""
    turns = JuryTurn.objects.filter(contest_id=contest_id, name=name)
    is_over = Q(told_at__lte=Now() - timedelta(seconds=PERIOD_S))
    is_of_another_time = Q(told_at__gt=Now() + timedelta(seconds=SET_BACK_S))
    if turns.filter(is_over | is_of_another_time).update(told_at=Now()):
        return True
    if turns.exists():
        return False
    _, is_first = JuryTurn.objects.get_or_create(contest_id=contest_id, name=name, defaults={"told_at": Now()})
    return is_first
