"""Places in the queue of self-tests, told again while one waits."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q, QuerySet

from contest.events import RunQueued, publish
from contest.models import Record, SelfTestRun
from contest.models.queue import QueueClass
from contest.services.queue import waiting


def tell_position(run: SelfTestRun) -> None:
    """Say that `run` waits, and where. Inside the transaction that puts it into the queue."""
    earlier = Q(queued_at__lt=run.queued_at) | Q(queued_at=run.queued_at, pk__lt=run.pk)
    _tell(run, _submissions() + _waiting().filter(earlier).count() + 1, is_repeat=False)


def tell_positions() -> int:
    """Tell everybody who waits for a judge and is not where they were told last; answers how many.

    Any number of nodes may do this at once: who changes what was told is the one that tells.
    """
    if not _waiting().exists():  # the usual case costs a look
        return 0
    with transaction.atomic():
        runs = enumerate(_waiting().select_related("contest", "user"), start=_submissions() + 1)
        moved = [(run, position) for position, run in runs if run.told_position != position]
        for run, position in moved:
            _tell(run, position, is_repeat=True)
    return len(moved)


# --- Parts ----------------------------------------------------------------------------------------


def _waiting() -> QuerySet[SelfTestRun]:
    return waiting(SelfTestRun.objects.all())


def _submissions() -> int:
    """How many submissions wait: they go before all self-tests."""
    return waiting(Record.objects.filter(queue_class=QueueClass.LIVE)).count()


def _tell(run: SelfTestRun, position: int, *, is_repeat: bool) -> None:
    known = _waiting().filter(pk=run.pk, told_position=run.told_position)
    if known.update(told_position=position):
        run.told_position = position
        publish(RunQueued(run, position, is_repeat))
