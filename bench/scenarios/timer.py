"""Timer reports of thousands of contestants, settled on PostgreSQL: how many a second, how late, how exact."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import Any

from bench.figures import percentile
from bench.report import Check, Section
from bench.scenarios.contenders import crowd_of
from bench.scenarios.foreground import Reported, allowed_ms
from bench.stage.site import POSTGRESQL, Site, serving
from bench.stage.usage import Meter
from bench.wire.client import Client
from bench.wire.crowd import Crowd
from bench.wire.fathom import Fathom, command

TARGET_A_SECOND = 2000
LEASE_MS = 30_000
PATIENCE_S = 30.0


@dataclass(frozen=True)
class Plan:
    """`contestants` connections send `rate` reports a second between them, for `seconds`."""

    contestants: int
    rate: int
    seconds: float

    @property
    def reports(self) -> int:
        return round(self.rate * self.seconds)


@dataclass
class Page:
    """One contestant's page: what it has reported, and what it was answered."""

    client: Client
    sent: dict[int, tuple[int, int]] = field(default_factory=dict)
    """client_seq → (sent at, in ns; foreground_ms)."""
    settled: list[Reported] = field(default_factory=list)
    accumulated_ms: int = 0


class Load:
    """Reports go out evenly, page after page; each page's own foreground clock runs from its first report."""

    def __init__(self, crowd: Crowd, pages: list[Page], plan: Plan) -> None:
        self._crowd, self._pages, self._plan = crowd, pages, plan
        self._began_ns = 0
        self.sent = 0
        self.refused = 0
        self.latencies_ms: list[float] = []
        self.last_reply_ns = 0

    def run(self) -> float:
        """Send all, wait for all replies; the seconds from the first report to the last reply."""
        self._began_ns = time.monotonic_ns()
        self._crowd.each_turn(self._send_what_is_due)
        within_s = self._plan.seconds + PATIENCE_S
        self._crowd.run_until(lambda: len(self.latencies_ms) + self.refused >= self._plan.reports, within_s)
        self._crowd.no_more(self._send_what_is_due)
        return (self.last_reply_ns - self._began_ns) / 1e9

    def _send_what_is_due(self, now_ns: int) -> None:
        due = int((now_ns - self._began_ns) * self._plan.rate / 1e9)
        while self.sent < min(due, self._plan.reports):
            page = self._pages[self.sent % len(self._pages)]
            self.sent += 1
            seq, at_ns = len(page.sent) + 1, time.monotonic_ns()
            first_ns = page.sent[1][0] if page.sent else at_ns
            page.sent[seq] = at_ns, (at_ns - first_ns) // 1_000_000
            data = {"foreground": True, "foreground_ms": page.sent[seq][1]}
            self._crowd.send(page.client, command(seq, "report", data))

    def on_reply(self, client: Client, reply: dict[str, Any], at_ns: int) -> None:
        if not reply["ok"]:
            self.refused += 1
            return
        page, seq, data = self._pages[client.index], reply["client_seq"], reply["data"]
        sent_ns, foreground_ms = page.sent[seq]
        self.latencies_ms.append((at_ns - sent_ns) / 1e6)
        self.last_reply_ns = at_ns
        page.accumulated_ms = data["accumulated_ms"]
        page.settled.append(Reported(seq, round(data["as_of"] * 1000), foreground_ms))


def run(plan: Plan) -> Section:
    """The section of the report."""
    with serving(POSTGRESQL, plan.contestants) as site, crowd_of(site.port) as crowd:
        return play(site, crowd, plan)


def play(site: Site, crowd: Crowd, plan: Plan) -> Section:
    """The same on a site where nobody has reported anything yet."""
    dialect = Fathom(crowd)
    pages = [Page(Client(i, dialect, site.path("timer"), key)) for i, key in enumerate(site.sessions)]
    connect_s = crowd.open([page.client for page in pages])
    load = Load(crowd, pages, plan)
    dialect.on_reply = load.on_reply
    meter = Meter(site.pid)
    seconds = load.run()
    shares = meter.server_share, meter.waited_share, meter.own_share
    settled = len(load.latencies_ms)
    rate = settled / seconds if seconds > 0 else 0.0
    stored, allowed = _stored(site), [allowed_ms(page.settled, LEASE_MS) for page in pages]
    lost = load.sent - settled - load.refused
    return Section(
        title=f"Timer: {plan.contestants:,} contestants on PostgreSQL",
        columns=(
            *("reports sent", "sent a second", "settled", "settled a second", "reply p50 ms", "p99 ms"),
            *("refused", "lost", "connects a second", "server core", "waited", "generator core"),
        ),
        rows=[
            (
                *(load.sent, float(plan.rate), settled, rate),
                *(percentile(load.latencies_ms, 0.5), percentile(load.latencies_ms, 0.99), load.refused, lost),
                *(plan.contestants / connect_s, *shares),
            )
        ],
        checks=[
            Check(f"at least {TARGET_A_SECOND:,} reports settled a second", rate >= 0.99 * TARGET_A_SECOND),
            Check("no report lost or refused", lost == 0 and load.refused == 0, is_law=True),
            Check(
                f"each contestant's stored time is what the rule allows ({sum(allowed):,} ms in all)",
                stored == allowed and all(page.accumulated_ms == ms for page, ms in zip(pages, allowed, strict=True)),
                is_law=True,
            ),
            Check("no client was cut", not crowd.losses, is_law=True),
            Check("no error in the server's log", not site.faults(), is_law=True),
        ],
        notes=[json.dumps(dict(crowd.losses | crowd.refusals))] if crowd.losses or crowd.refusals else [],
    )


def _stored(site: Site) -> list[int]:
    """Milliseconds of c00001, c00002, … as another connection to the database sees them."""
    rows = site.rows.query(
        "SELECT account.accumulated_ms FROM realtime_timeraccount account"
        " JOIN contest_participation participation ON participation.id = account.participation_id"
        " JOIN contest_user person ON person.id = participation.user_id"
        " WHERE person.username LIKE 'c0%' ORDER BY person.username"
    )
    return [accumulated_ms for (accumulated_ms,) in rows]
