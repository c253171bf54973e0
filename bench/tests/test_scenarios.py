"""Every scenario still plays, with twenty clients on one site: laws hold; speeds of so few mean nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bench.report import Section
from bench.scenarios import confirmations, contenders, notice, timer
from bench.stage.site import SQLITE, Site, serving

pytestmark = [
    pytest.mark.slow,
    pytest.mark.embedded,  # the site is started on SQLite, whatever the shape; once is enough
]
CLIENTS = 20


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving(SQLITE, CLIENTS) as site:
        yield site


def assert_no_law_is_broken(section: Section) -> None:
    laws = [check for check in section.checks if check.is_law]
    assert laws
    assert [check.sentence for check in laws if not check.holds] == []


def test_reports_of_a_timer_are_settled_exactly(site: Site) -> None:
    with contenders.crowd_of(site.port) as crowd:
        section = timer.play(site, crowd, timer.Plan(CLIENTS, rate=4 * CLIENTS, seconds=1))
    assert_no_law_is_broken(section)
    row = dict(zip(section.columns, section.rows[0], strict=False))
    assert row["reports sent"] == row["settled"] == 4 * CLIENTS


def test_confirmations_are_stored(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confirmations, "SENT_WITHIN_S", 0.5)
    with contenders.crowd_of(site.port) as crowd:
        section = confirmations.play(site, crowd)
    assert_no_law_is_broken(section)
    assert list(section.rows[0][:2]) == [CLIENTS, CLIENTS + CLIENTS // confirmations.REPEAT_EACH]


def test_a_notice_reaches_everybody_beside_a_peer(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    quickest = contenders.PICOWS if contenders.can_open(contenders.PICOWS) else contenders.CHANNELS
    servers = [contenders.FATHOM, quickest]
    monkeypatch.setitem(contenders.OPENERS, contenders.FATHOM, lambda clients: contenders.visitors_of(site))
    section = notice.run(notice.Plan(CLIENTS, rounds=1, notices=1, servers=servers))
    assert_no_law_is_broken(section)
    assert [(row[0], row[-1]) for row in section.rows] == [(name, 0) for name in servers]
