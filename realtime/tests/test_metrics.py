"""What is measured is documented, and what is documented is measured."""

from __future__ import annotations

import re
from pathlib import Path

from prometheus_client import REGISTRY

from contest.models import User
from realtime import metrics
from realtime.node.node import Node
from realtime.tests.clients import Client, Sessions, eventually

DOCUMENT = Path(__file__).parents[2] / "docs/operations.md"


def value(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


def test_every_measurement_is_in_the_document_and_there_are_no_others() -> None:
    own = {each.name: each.type for each in REGISTRY.collect() if each.name.startswith("fathom_")}
    named = {f"{name}_total" if kind == "counter" else name for name, kind in own.items()}
    text = DOCUMENT.read_text()
    first_cells = "".join(re.findall(r"^\|([^|]*)\|", text, re.MULTILINE))
    listed = re.findall(r"`(fathom_[a-z_]+)`", first_cells)
    assert sorted(listed) == sorted(named), "each of them once"
    assert set(re.findall(r"`(fathom_[a-z_]+)`", text)) <= named


async def test_a_reconnect_is_counted_with_all_that_its_client_says(
    live: Node, sessions: Sessions, alice: User
) -> None:
    stream = "announcements"
    names = {
        "snapshot": ("fathom_attached_total", {"stream": stream, "how": "snapshot"}),
        "resumed": ("fathom_attached_total", {"stream": stream, "how": "resumed"}),
        "stale": ("fathom_stale_bases_total", {"stream": stream}),
        "slept": ("fathom_reconnects_total", {"stream": stream, "cause": "slept"}),
        "other": ("fathom_reconnects_total", {"stream": stream, "cause": "other"}),
        "tries": ("fathom_attempts_until_success_sum", {"stream": stream}),
        "gaps": ("fathom_client_gaps_total", {"stream": stream}),
        "duplicates": ("fathom_client_duplicates_total", {"stream": stream}),
        "rtt": ("fathom_client_rtt_seconds_sum", {}),
        "superseded": ("fathom_closes_total", {"stream": stream, "code": "4103"}),
        "left": ("fathom_closes_total", {"stream": stream, "code": "client"}),
        "lived": ("fathom_connection_seconds_count", {"stream": stream}),
    }
    before = {key: value(name, **labels) for key, (name, labels) in names.items()}
    key = await sessions.key_of(alice)
    path = f"/ws/contests/cup/{stream}"
    first = await Client(path, key).live()
    stats = {"gaps": 1, "duplicates": 2, "rtt_ms": 41}
    second = await Client(path, key).live(cursor=first.cursor, cause="slept", stats=stats, **{"try": 3})
    assert await first.until_closed() == 4103
    unknown = {short: {"epoch": "another", "seq": 0} for short in first.cursor}
    third = await Client(path, key, client="document-2").live(cursor=unknown, cause="made up")
    assert value("fathom_connections", stream=stream) == 2
    await second.leave()
    await third.leave()
    await eventually(lambda: value("fathom_connections", stream=stream) == 0)
    grown = {key: value(name, **labels) - before[key] for key, (name, labels) in names.items()}
    assert grown.pop("rtt") > 0.04
    assert grown == {
        **dict.fromkeys(("resumed", "stale", "slept", "other", "gaps", "superseded"), 1),
        **dict.fromkeys(("snapshot", "duplicates", "left"), 2),
        **dict.fromkeys(("tries", "lived"), 3),
    }


def test_connections_that_live_for_half_a_day_and_a_day_are_told_apart() -> None:
    metrics.durations.labels("timer").observe(23 * 3600)
    found = {sample.labels.get("le") for each in metrics.durations.collect() for sample in each.samples}
    assert {"43200.0", "86400.0"} <= found
