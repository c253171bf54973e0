"""The nodes of the site as operators see them, by the traces that they leave. For pages: `contest.ports`."""

from __future__ import annotations

from django.db.models import Count

from contest.ports import NodeState
from realtime.models import NodeRun, Presence
from realtime.runs import SILENT_AFTER_MS, moment
from realtime.timer.clock import read_clock

RUNS_LOOKED_AT = 500


def read_nodes() -> list[NodeState]:
    """The newest run of each node, those that were heard of last first: two queries and the database's clock."""
    connected = dict(Presence.objects.values_list("run").annotate(people=Count("user", distinct=True)))
    heard_after_ms = read_clock().database_ms - SILENT_AFTER_MS
    newest: dict[str, NodeRun] = {}
    for run in NodeRun.objects.order_by("-beat_ms")[:RUNS_LOOKED_AT]:
        newest.setdefault(run.node, run)
    return [_state(run, heard_after_ms, connected.get(run.pk, 0)) for run in newest.values()]


def _state(run: NodeRun, heard_after_ms: int, connected: int) -> NodeState:
    return NodeState(
        name=run.node,
        started_at=moment(run.started_ms),
        heard_at=moment(run.beat_ms),
        stopped_at=None if run.stopped_ms is None else moment(run.stopped_ms),
        is_alive=run.stopped_ms is None and run.beat_ms > heard_after_ms,
        connected=connected,
    )
