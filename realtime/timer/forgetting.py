"""What the timer need not keep for ever: documents that are gone, and what is told beyond what anybody reads."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, Q, QuerySet

from realtime.models import NodeRun, Outage, TimerAbsence, TimerSession, TimerStretch
from realtime.timer.clock import read_clock
from realtime.timer.lease import REMEMBER_MS

KEPT = 1000
"""Stretches and absences of one participation; of more than that the newest are kept."""
PARTICIPATIONS_A_RUN = 200
SITE_HISTORY_MS = 180 * 24 * 3600 * 1000
"""Of contests so long ago nobody is given extra time any more; their gaps stay, without the site as the reason."""
SITE_HISTORY_ROWS = 20_000
"""Of runs and of outages each: a node that cannot start and is started again and again makes thousands a day."""


def forget_sessions() -> int:
    """A document's stream outlives its socket by ten minutes: longer ago nothing can be measured from it."""
    before_ms = read_clock().database_ms - REMEMBER_MS
    silent = Q(arrived_ms=None) | Q(arrived_ms__lt=before_ms)
    return TimerSession.objects.filter(silent, attached_ms__lt=before_ms).delete()[0]


def forget_history() -> int:
    """Bound what one participation can leave behind by turning away and back all day."""
    return sum(_forget_oldest(model, key) for model in (TimerStretch, TimerAbsence) for key in _crowded(model))


def _crowded(model: type[TimerStretch] | type[TimerAbsence]) -> list[int]:
    rows = model.objects.values("participation_id").annotate(count=Count("pk")).filter(count__gt=KEPT)
    return [row["participation_id"] for row in rows[:PARTICIPATIONS_A_RUN]]


def _forget_oldest(model: type[TimerStretch] | type[TimerAbsence], key: int) -> int:
    rows = model.objects.filter(participation=key).order_by("-starts_ms")
    oldest_kept_ms = rows.values_list("starts_ms", flat=True)[KEPT - 1]
    return rows.filter(starts_ms__lt=oldest_kept_ms).delete()[0]


def forget_site_history() -> int:
    """Runs of nodes and outages that are too old or too many; answers how many. A run that lives is neither."""
    before_ms = read_clock().database_ms - SITE_HISTORY_MS
    runs = _forget_site(NodeRun.objects.order_by("-beat_ms"), "beat_ms", before_ms)
    return runs + _forget_site(Outage.objects.order_by("-ends_ms"), "ends_ms", before_ms)


def _forget_site(newest_first: QuerySet[Any], field: str, before_ms: int) -> int:
    beyond = newest_first.values_list(field, flat=True)[SITE_HISTORY_ROWS : SITE_HISTORY_ROWS + 1]
    before_ms = max([before_ms, *(at_ms + 1 for at_ms in beyond)])
    return newest_first.filter(**{f"{field}__lt": before_ms}).order_by().delete()[0]
