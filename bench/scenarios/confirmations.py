"""Everybody confirms one notice within two seconds: all are stored, each once, and the replies tell the truth."""

from __future__ import annotations

import time
from typing import Any

from bench.figures import percentile
from bench.report import Cell, Check, Section
from bench.scenarios.contenders import crowd_of
from bench.stage.jury import Jury
from bench.stage.site import Site, serving
from bench.stage.usage import Meter
from bench.wire.client import Client
from bench.wire.crowd import Crowd
from bench.wire.fathom import Fathom, command

SENT_WITHIN_S = 2.0
PATIENCE_S = 60.0
REPEAT_EACH = 10
"""One client in so many sends its confirmation twice, as after a reply that was lost."""
COLUMNS = (
    *("contestants", "confirmations sent", "within s", "replies ok", "stored"),
    *("last durable after s", "reply p50 ms", "p99 ms", "connects a second", "server core", "waited", "generator core"),
)


class Load:
    """Each client confirms `notice` once, some of them twice, spread evenly over `SENT_WITHIN_S`."""

    def __init__(self, crowd: Crowd, clients: list[Client], notice_id: int) -> None:
        self._crowd = crowd
        self._queue = [(client, 1) for client in clients] + [(client, 2) for client in clients[::REPEAT_EACH]]
        self._data = {"notices": [{"id": notice_id, "version": 1}]}
        self._sent_ns: dict[tuple[int, int], int] = {}
        self.began_ns = self.last_sent_ns = self.last_reply_ns = 0
        self.latencies_ms: list[float] = []
        self.refusals: list[Any] = []

    @property
    def sent(self) -> int:
        return len(self._sent_ns)

    @property
    def is_over(self) -> bool:
        return len(self.latencies_ms) + len(self.refusals) >= len(self._queue)

    def run(self) -> None:
        self.began_ns = time.monotonic_ns()
        self._crowd.each_turn(self._send_what_is_due)
        self._crowd.run_until(lambda: self.is_over, SENT_WITHIN_S + PATIENCE_S)
        self._crowd.no_more(self._send_what_is_due)

    def _send_what_is_due(self, now_ns: int) -> None:
        share = (now_ns - self.began_ns) / (SENT_WITHIN_S * 1e9)
        due = min(len(self._queue), int(share * len(self._queue)) + 1)
        while self.sent < due:
            client, seq = self._queue[self.sent]
            self.last_sent_ns = self._sent_ns[client.index, seq] = time.monotonic_ns()
            self._crowd.send(client, command(seq, "ack", self._data))

    def on_reply(self, client: Client, reply: dict[str, Any], at_ns: int) -> None:
        if not reply["ok"]:
            self.refusals.append(reply["error"])
            return
        self.latencies_ms.append((at_ns - self._sent_ns[client.index, reply["client_seq"]]) / 1e6)
        self.last_reply_ns = at_ns


def run(database: str, contestants: int) -> Section:
    """The section of the report."""
    with serving(database, contestants) as site, crowd_of(site.port) as crowd:
        return play(site, crowd)


def play(site: Site, crowd: Crowd) -> Section:
    """The same on this site."""
    row, checks = _confirm(site, crowd)
    return Section(
        title=(
            f"Confirmations on {site.database}:"
            f" {len(site.sessions):,} contestants confirm a notice within {SENT_WITHIN_S:.0f} s"
        ),
        columns=COLUMNS,
        rows=[row],
        checks=checks,
        notes=["A reply is sent when its confirmation is durable, so the last reply tells when the last one was."],
    )


def _confirm(site: Site, crowd: Crowd) -> tuple[list[Cell], list[Check]]:
    dialect = Fathom(crowd)
    clients = [Client(i, dialect, site.path("announcements"), key) for i, key in enumerate(site.sessions)]
    connect_s = crowd.open(clients)
    jury, meter = Jury(site.port), Meter(site.pid)
    told: set[int] = set()
    dialect.on_event = lambda client, event, _: told.add(client.index) if event["name"].endswith(".posted") else None
    posting = jury.send_notice("Please confirm", "The contest is extended.", requires_ack=True)
    crowd.run_until(lambda: len(told) == len(clients), PATIENCE_S)
    notice_id = jury.notice_of(posting)
    meter.wait_until_idle(crowd.run_for)
    meter.reset()
    load = Load(crowd, clients, notice_id)
    dialect.on_reply = load.on_reply
    load.run()
    shares = meter.server_share, meter.waited_share, meter.own_share
    stored = _stored(site, notice_id)
    row: list[Cell] = [
        *(len(clients), load.sent, _seconds(load.began_ns, load.last_sent_ns)),
        *(len(load.latencies_ms), len(stored), _seconds(load.began_ns, load.last_reply_ns)),
        *(percentile(load.latencies_ms, 0.5), percentile(load.latencies_ms, 0.99), len(clients) / connect_s, *shares),
    ]
    return row, _checks(site, crowd, dialect, load, stored, jury.ledger(notice_id), len(told))


def _checks(
    site: Site,
    crowd: Crowd,
    dialect: Fathom,
    load: Load,
    stored: list[str],
    ledger: Any,
    told: int,
) -> list[Check]:
    contestants = len(site.sessions)
    confirmed = sum(person["confirmed_at"] is not None for person in ledger["people"])
    is_durable = bool(load.last_reply_ns) and _seconds(load.last_sent_ns, load.last_reply_ns) <= SENT_WITHIN_S
    sentences = {
        "everybody had the notice on the screen first": told == contestants,
        f"{load.sent:,} replies, all ok": len(load.latencies_ms) == load.sent,
        f"each of {contestants:,} stored once": len(stored) == len(set(stored)) == contestants,
        "the jury's ledger says the same": confirmed == ledger["counts"]["confirmed"] == contestants,
        "no gap, no duplicate, no client cut": not (dialect.gaps or dialect.duplicates or crowd.losses),
        "no error in the server's log": not site.faults(),
    }
    laws = [Check(sentence, holds, is_law=True) for sentence, holds in sentences.items()]
    late = f"the last is durable within {SENT_WITHIN_S:.0f} s of being sent"
    return [*laws, Check(late, is_durable)]


def _stored(site: Site, notice_id: int) -> list[str]:
    """Names with a confirmation of this notice, as another connection to the database sees them."""
    rows = site.rows.query(
        "SELECT person.username FROM contest_noticereceipt receipt"
        " JOIN contest_user person ON person.id = receipt.user_id"
        f" WHERE receipt.notice_id = {notice_id:d} AND receipt.confirmed_at IS NOT NULL"
    )
    return [name for (name,) in rows]


def _seconds(since_ns: int, until_ns: int) -> float:
    return (until_ns - since_ns) / 1e9
