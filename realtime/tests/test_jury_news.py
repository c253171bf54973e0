"""News for the jury: one node tells within a second, a failure makes it wait, and a clock set back stops it not."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
from django.db import OperationalError, transaction
from django.utils import timezone

from contest.models import Contest
from realtime import database
from realtime.log import jury
from realtime.log.jury import JuryNews, take_turn
from realtime.log.topics import of_jury
from realtime.models import JuryTurn, LogEvent
from realtime.tests.clients import eventually


def ask(contest: Contest, name: str = "ledger.changed") -> bool:
    with transaction.atomic():
        return take_turn(contest.pk, name)


@pytest.mark.django_db(transaction=True)
def test_one_of_all_nodes_tells_the_jury_within_a_second(contest: Contest) -> None:
    began = time.monotonic()
    turns = [ask(contest) for _ in range(5)]
    assert turns == [True, False, False, False, False]
    assert ask(contest, "presence.changed"), "another kind of news has its own turn"
    while not ask(contest):
        assert time.monotonic() - began < 3
        time.sleep(0.02)
    assert time.monotonic() - began >= 0.95


@pytest.mark.django_db(transaction=True)
def test_a_clock_that_was_set_back_by_an_hour_silences_nobody(contest: Contest) -> None:
    assert ask(contest)
    JuryTurn.objects.update(told_at=timezone.now() + timedelta(hours=1))
    assert [ask(contest) for _ in range(3)] == [True, False, False], "and then it is one a second again"
    JuryTurn.objects.update(told_at=timezone.now() + timedelta(seconds=1))
    assert not ask(contest), "of a statement that began earlier a turn may lie a moment ahead"


class News(JuryNews):
    """Counts how often it asks the store, and is answered; fails as long as it is to."""

    def __init__(self) -> None:
        super().__init__("ledger.changed", lambda contest_id, ids: {"notices": sorted(ids)})
        self.asked = self.answered = 0
        self.fails = False

    def _write(self, contest_id: int, ids: set[int]) -> bool:
        self.asked += 1
        if self.fails:
            raise OperationalError("the database is away")
        is_told = super()._write(contest_id, ids)
        self.answered += 1
        return is_told


@pytest.fixture
async def news(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[News]:
    monkeypatch.setattr(jury, "TICK_S", 0.01)
    news = News()
    running = asyncio.create_task(news.run())
    yield news
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    database.close_all()


async def test_after_a_failure_it_waits_and_then_tells_all_that_has_come_meanwhile(
    news: News, contest: Contest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jury, "RETRY_S", 0.5)
    news.fails = True
    news.add(contest.pk, [1])
    await eventually(lambda: news.asked == 1)
    failed = time.monotonic()
    news.fails = False
    news.add(contest.pk, [2])
    await eventually(lambda: news.asked == 2)
    assert time.monotonic() - failed >= 0.4
    await eventually(lambda: news.answered == 1)
    event = await LogEvent.objects.aget(topic__key=of_jury(contest.pk))
    assert event.data == '{"notices":[1,2]}'
