"""How long the log keeps events, by age and count for each kind of topic.

A reader whose cursor is older gets a snapshot. Contestants come back within a contest, so what they
follow is kept for days; the steps of one record or run are of use for hours only.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import F
from django.utils import timezone

from realtime.log.reading import prune
from realtime.models import LogEvent, Topic

TOPICS_A_RUN = 500


@dataclass(frozen=True)
class Retention:
    age: timedelta
    count: int


PEOPLE = Retention(timedelta(days=14), 5000)
STEPS = Retention(timedelta(days=1), 2000)
RIGHTS = Retention(timedelta(days=1), 10_000)


def retention_of(key: str) -> Retention:
    if key == "rights":
        return RIGHTS
    return STEPS if key.startswith("r") or key.endswith(".runs") else PEOPLE


def prune_log() -> int:
    """Forget what is beyond its retention, of a bounded number of topics; answers how many events."""
    now = timezone.now()
    oldest = LogEvent.objects.filter(appended_at__lt=now - STEPS.age).values("topic_id").distinct()[:TOPICS_A_RUN]
    crowded = Topic.objects.filter(head__gt=F("floor") + STEPS.count).values("pk")[:TOPICS_A_RUN]
    keys = Topic.objects.filter(pk__in=[row["topic_id"] for row in oldest] + [row["pk"] for row in crowded])
    gone = 0
    for key in keys.values_list("key", flat=True):
        kept = retention_of(key)
        gone += prune(key, before=now - kept.age, keep=kept.count)
    return gone
