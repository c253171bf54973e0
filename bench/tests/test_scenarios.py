"""Every scenario still plays, with twenty clients: laws hold; speeds of so few mean nothing."""

from __future__ import annotations

import pytest

from bench.report import Section
from bench.scenarios import confirmations, contenders, notice, timer
from bench.stage.site import POSTGRESQL, SQLITE

pytestmark = [
    pytest.mark.slow,
    pytest.mark.embedded,  # each starts the servers that it needs itself; once is enough
]
CLIENTS = 20


def assert_no_law_is_broken(section: Section) -> None:
    laws = [check for check in section.checks if check.is_law]
    assert laws
    assert [check.sentence for check in laws if not check.holds] == []


def test_reports_of_a_timer_are_settled_exactly() -> None:
    section = timer.run(timer.Plan(CLIENTS, rate=2 * CLIENTS, seconds=3))
    assert_no_law_is_broken(section)
    row = dict(zip(section.columns, section.rows[0], strict=False))
    assert row["reports sent"] == row["settled"] == 6 * CLIENTS


@pytest.mark.parametrize("database", [SQLITE, POSTGRESQL])
def test_confirmations_are_stored(database: str) -> None:
    section = confirmations.run(database, CLIENTS)
    assert_no_law_is_broken(section)
    assert list(section.rows[0][:2]) == [CLIENTS, CLIENTS + CLIENTS // confirmations.REPEAT_EACH]


def test_a_notice_reaches_everybody_beside_its_peers() -> None:
    servers = [name for name in contenders.OPENERS if contenders.can_open(name)]
    assert contenders.CHANNELS in servers
    section = notice.run(notice.Plan(CLIENTS, rounds=1, notices=1, servers=servers))
    assert_no_law_is_broken(section)
    assert [(row[0], row[-1]) for row in section.rows] == [(name, 0) for name in servers]
