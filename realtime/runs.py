"""Runs of nodes: one row each, kept alive by the node's one beat (`realtime.node.beats`).

Who asks which nodes live now (`realtime.presence`) and who asks when one was down (`realtime.timer`) look at
the same rows. A run that is silent does not live, so nobody has to clear up after a node that was killed.
"""

from __future__ import annotations

from datetime import UTC, datetime

from django.conf import settings
from django.db.models import BigIntegerField, Func
from django.db.models.expressions import CombinedExpression

from realtime.clock import database_ms
from realtime.models import NodeRun

BEAT_MS: int = settings.FATHOM.beat_ms
SILENT_AFTER_MS = 4 * BEAT_MS
"""Four beats: a slow write or two are no death."""


def beat(run: int | None, node: str, at_ms: int) -> int:
    """`node` lives, by the database's clock at `at_ms`. Answers its run: a new one if it had none, or lost it."""
    if run is not None and NodeRun.objects.filter(pk=run).update(beat_ms=at_ms):
        return run
    return NodeRun.objects.create(node=node, started_ms=at_ms, beat_ms=at_ms).pk


def stop(run: int, at_ms: int) -> None:
    """It ends as planned. It beats on until it is gone, for there may be people on it yet."""
    NodeRun.objects.filter(pk=run, stopped_ms=None).update(stopped_ms=at_ms)


def heard_after_ms() -> CombinedExpression:
    """SQL for the moment after which a run must have been heard of to live now."""
    return Func(template=database_ms(), output_field=BigIntegerField()) - SILENT_AFTER_MS


def moment(ms: int) -> datetime:
    """Of milliseconds since 1970, as times of runs are stored."""
    return datetime.fromtimestamp(ms / 1000, UTC)
