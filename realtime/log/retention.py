"""How long the log keeps events, by age and count for each kind of topic.

A reader whose cursor is older gets a snapshot. Contestants come back within a contest, so what they
follow is kept for days; the steps of one record or run are of use for hours only.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import F, Max, Q
from django.utils import timezone

from realtime.log.reading import prune
from realtime.log.topics import RIGHTS as RIGHTS_TOPIC
from realtime.models import LogEvent, Topic

TOPICS_A_RUN = 500
"""Of each kind, by age and by count."""


@dataclass(frozen=True)
class Retention:
    """`topics` says which; each topic is of one kind."""

    topics: Q
    age: timedelta
    count: int


_IS_RIGHTS = Q(key=RIGHTS_TOPIC)
_HAS_STEPS = (Q(key__startswith="r") & ~_IS_RIGHTS) | Q(key__endswith=".runs")

PEOPLE = Retention(~_HAS_STEPS & ~_IS_RIGHTS, timedelta(days=14), 5000)
STEPS = Retention(_HAS_STEPS, timedelta(days=1), 2000)
RIGHTS = Retention(_IS_RIGHTS, timedelta(days=1), 10_000)
KINDS = (PEOPLE, STEPS, RIGHTS)


def prune_log() -> int:
    """Forget what is beyond its retention, of a bounded number of topics; answers how many events."""
    now = timezone.now()
    return sum(
        prune(key, before=now - kind.age, keep=kind.count) for kind in KINDS for key in _overfull(kind, now - kind.age)
    )


def _overfull(kind: Retention, before: datetime) -> set[str]:
    """Topics of this kind only: those of another, kept for longer, must not stand in the way of pruning."""
    topics = Topic.objects.filter(kind.topics)
    # Numbers have no holes: the event after the floor is the oldest, found by the key of its row.
    oldest = LogEvent.objects.filter(seq=F("topic__floor") + 1, appended_at__lt=before).values("topic_id")
    aged = topics.filter(pk__in=oldest)
    crowded = topics.filter(head__gt=F("floor") + kind.count)
    return {key for found in (aged, crowded) for key in found.values_list("key", flat=True)[:TOPICS_A_RUN]}


def forget_runs_before_last(key: str) -> int:
    """Of a contestant's self-tests keep the newest and the one before it; answers how many events are gone.

    Without this, somebody who runs one chatty program after the other fills the log until the next pruning.
    """
    starts = LogEvent.objects.filter(topic__key=key, name="run.queued")
    newest = starts.aggregate(newest=Max("seq"))["newest"] or 0
    before = starts.filter(seq__lt=newest).aggregate(newest=Max("seq"))["newest"]
    return 0 if before is None else prune(key, floor=before - 1)
