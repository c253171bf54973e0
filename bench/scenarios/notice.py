"""A notice to everybody: when the last client has it, what that costs the server, and what is lost. Side by side.

Servers take turns (A B A B) in one run: what else the machine does falls on all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf

from bench.figures import median, ratio
from bench.report import Cell, Check, Section
from bench.scenarios.broadcast import Sample, measure
from bench.scenarios.contenders import CHANNELS, FATHOM, OPENERS, PICOWS, can_open

COLUMNS = (
    *("server", "clients", "notices", "connects a second", "last client ms", "first to last ms"),
    *("CPU s per 10,000 to the last client", "× picows", "CPU s per 10,000 in all", "generator core", "lost"),
)
NOTES = (
    "Medians. The site's time runs from sending the staff's form, so its page, its transaction and the delivery"
    " ledger are in it; a peer's runs from one frame that asks for the broadcast. “In all” goes on until the server"
    " is idle again: with the clients' `seen` and the ledger's rows.",
)
TARGETS = {PICOWS: 1.3, CHANNELS: 1 / 35}
"""CPU per delivery, as multiples of theirs."""


@dataclass(frozen=True)
class Plan:
    clients: int
    rounds: int
    notices: int
    servers: Sequence[str]


@dataclass
class Found:
    """Of one server, over all rounds."""

    samples: list[Sample] = field(default_factory=list)
    connects_a_second: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    @property
    def lost(self) -> int:
        return sum(sample.lost for sample in self.samples)

    @property
    def cpu_s_per_10k(self) -> float | None:
        return median([sample.cpu_s_per_10k for sample in self.samples])


def run(plan: Plan) -> Section:
    """The section of the report."""
    found = {name: Found() for name in plan.servers if can_open(name)}
    for _ in range(plan.rounds):
        for name, each in found.items():
            _play(name, plan, each)
    limit = found[PICOWS].cpu_s_per_10k if PICOWS in found else None
    return Section(
        title=f"Notice to all: {plan.clients:,} clients",
        columns=COLUMNS,
        rows=[_row(name, plan, each, limit) for name, each in found.items()],
        checks=_checks(found),
        notes=NOTES if PICOWS in found else (*NOTES, "picows is not installed: no limit to compare with."),
    )


def _play(name: str, plan: Plan, found: Found) -> None:
    with OPENERS[name](plan.clients) as contender:
        found.connects_a_second.append(plan.clients / contender.connect_s)
        for _ in range(plan.notices):
            found.samples.append(measure(contender.crowd, contender.pid, contender.audience, contender.publish))
        found.faults += contender.faults()


def _row(name: str, plan: Plan, found: Found, limit: float | None) -> list[Cell]:
    samples = found.samples
    return [
        *(name, plan.clients, len(samples), median(found.connects_a_second)),
        *(median([each.last_ms for each in samples]), median([each.spread_ms for each in samples])),
        *(found.cpu_s_per_10k, ratio(found.cpu_s_per_10k, limit)),
        median([each.cpu_s_per_10k_in_all for each in samples]),
        *(max(each.own_share for each in samples), found.lost),
    ]


def _checks(found: dict[str, Found]) -> list[Check]:
    own = found[FATHOM]
    checks = [
        Check("the site lost nothing", own.lost == 0, is_law=True),
        Check(
            f"no gap, no duplicate, no client cut, no error in its log {own.faults or ''}", not own.faults, is_law=True
        ),
    ]
    for name, factor in TARGETS.items():
        if name in found:
            measured = ratio(own.cpu_s_per_10k, found[name].cpu_s_per_10k) or inf
            sentence = f"CPU per delivery at most {factor:.3g} × {name}; measured {measured:.3g} ×"
            checks.append(Check(sentence, measured <= factor))
    return checks
