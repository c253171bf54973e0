"""Whose record is judged next: people take turns, so that nobody's many keep others from their verdicts."""

from __future__ import annotations

from django.db.models import Count, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from contest.models import Record
from contest.models.queue import IS_HELD, Status
from contest.services.queue import waiting


def in_turns(rows: QuerySet[Record]) -> QuerySet[Record]:
    """Those of `rows` that nobody works on, as `queue.waiting`, but a person's k-th unfinished record comes after
    every other person's one before; of equal ones the oldest comes first.

    Threat: one contestant fills their places with endless loops, and first come, first served would have everybody
    wait for all of them. What is being judged counts as that person's turn, or two slots would serve them first.
    """
    earlier = Q(queued_at__lt=OuterRef("queued_at")) | Q(queued_at=OuterRef("queued_at"), pk__lt=OuterRef("pk"))
    of_same_person = Record.objects.filter(user=OuterRef("user"), queue_class=OuterRef("queue_class"))
    ahead = of_same_person.exclude(status=Status.FINAL).filter(IS_HELD | earlier)
    # Grouped by what is one value, so that the count is of all; without an order, which would split it.
    count = ahead.order_by().values("user").annotate(ahead=Count("pk")).values("ahead")
    turn = Coalesce(Subquery(count, output_field=IntegerField()), 0)
    return waiting(rows).order_by(turn, "queued_at", "id")
