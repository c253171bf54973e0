"""When outcomes change, every open page asks for the standings at once."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection, transaction

from contest.models import Contest, User
from contest.selectors.standings import Board, View, board
from contest.services.standings import touch_standings
from contest.tests.people import entered
from contest.views import standings

pytestmark = pytest.mark.django_db(transaction=True)
READERS = 8


@pytest.fixture
def rendered(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The versions that were computed; each takes long enough for all readers to arrive meanwhile."""
    versions: list[str] = []

    def slow(contest: Contest, view: View) -> Board:
        versions.append(f"{contest.standings_version} {view}")
        time.sleep(0.5)
        return board(contest, view)

    monkeypatch.setattr(standings, "board", slow)
    return versions


def change(contest: Contest) -> None:
    with transaction.atomic():
        touch_standings(contest)


def read(user: User | None, all_here: Barrier) -> int:
    try:
        client = entered(user)
        all_here.wait(20)
        return client.get("/contests/cup/standings/", {"part": "table"}).status_code
    finally:
        connection.close()


@pytest.mark.slow
def test_one_rendering_serves_all_who_ask_at_once(contest: Contest, alice: User, rendered: list[str]) -> None:
    for _ in range(2):
        change(contest)
        with ThreadPoolExecutor(READERS) as pool:
            assert set(pool.map(read, [alice] * READERS, [Barrier(READERS)] * READERS)) == {200}
    assert len(rendered) == 2
    assert len(set(rendered)) == 2, "each change was rendered once"


@pytest.mark.slow
def test_who_waits_gets_the_newest_that_there_is(contest: Contest, alice: User, rendered: list[str]) -> None:
    change(contest)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(read, alice, Barrier(1))
        while not rendered:
            time.sleep(0.01)
        second = pool.submit(read, alice, Barrier(1))  # finds nothing kept and waits for its turn
        time.sleep(0.2)
        change(contest)
        assert (first.result(), second.result()) == (200, 200)
    assert rendered[-1].startswith(f"{contest.standings_version} ")
    assert len(rendered) == 2


def test_the_jury_does_not_wait_for_what_contestants_see(
    contest: Contest, alice: User, grace: User, rendered: list[str]
) -> None:
    Contest.objects.filter(pk=contest.pk).update(freeze_at=contest.starts_at)
    change(contest)
    all_here = Barrier(2)
    with ThreadPoolExecutor(2) as pool:
        assert set(pool.map(lambda user: read(user, all_here), [alice, grace])) == {200}
    assert {version.split()[1] for version in rendered} == {"full", "frozen"}
