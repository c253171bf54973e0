"""Events of a contest that mean nothing but that they were told."""

from __future__ import annotations

from channels.db import database_sync_to_async
from django.db import transaction

from contest.models import Contest
from realtime.log.append import append
from realtime.log.topics import of_contest


@database_sync_to_async
def tell(contest: Contest, count: int = 1, *, text: str = "") -> None:
    for _ in range(count):
        with transaction.atomic():
            append(of_contest(contest.pk), "told", {"text": text})


@database_sync_to_async
def tell_states(contest: Contest, count: int) -> None:
    with transaction.atomic():
        for number in range(count):
            append(of_contest(contest.pk), "state", {"n": number}, object_key="o", is_kept=False)
