"""Operators see which nodes live, which stopped as planned and which are silent."""

from __future__ import annotations

import pytest

from realtime.models import NodeRun
from realtime.node.overview import read_nodes
from realtime.timer.clock import read_clock

pytestmark = pytest.mark.django_db


def test_the_newest_run_of_each_node_says_how_it_is() -> None:
    now = read_clock().database_ms
    old = now - 3_600_000
    NodeRun.objects.create(node="n1", started_ms=old, beat_ms=old + 1, stopped_ms=old + 1)
    NodeRun.objects.create(node="n1", started_ms=now - 5_000, beat_ms=now)
    NodeRun.objects.create(node="n2", started_ms=old, beat_ms=now - 600_000)
    NodeRun.objects.create(node="n3", started_ms=old, beat_ms=now - 700_000, stopped_ms=now - 700_000)
    found = read_nodes()
    assert [(node.name, node.is_alive, node.stopped_at is not None) for node in found] == [
        ("n1", True, False),
        ("n2", False, False),
        ("n3", False, True),
    ]
