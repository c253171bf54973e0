"""Lease and fence of the judge's queue, for every kind of row that waits in it.

A claim is one conditional statement: it raises `attempt`, names the worker and sets a lease. Every later
write names (id, attempt, worker), so that the database itself refuses what an older attempt has to say.
Leases are set and compared by the database's clock: the clocks of judge machines do not matter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Generic, TypeVar

from django.db import transaction
from django.db.models import CharField, F, QuerySet, Value
from django.db.models.functions import Now

from contest.models.queue import IS_FREE, IS_HELD, QueueItem, Status

LEASE_S = 30.0
"""How long a silent worker is waited for. It renews every third of this while it works."""
LOST_LEASES_LIMIT = 3
"""A row on which so many workers died is set aside for staff, alone; the queue goes on."""

Item = TypeVar("Item", bound=QueueItem)
Order = Callable[[QuerySet[Item]], QuerySet[Item]]
"""Of some rows those that wait, in the order in which they are claimed."""


class LeaseLost(Exception):
    """Somebody else holds this row now, or it is final: the write changed nothing."""


@dataclass(frozen=True)
class Claim(Generic[Item]):
    """The right to judge one row, and the fence that proves it in each write."""

    model: type[Item]
    pk: int
    attempt: int
    worker: str

    def write(self, **changes: Any) -> None:
        """Change the row if the claim still holds, and raise its version. Raises LeaseLost."""
        if self._held().update(version=F("version") + 1, **changes) != 1:
            raise LeaseLost(str(self))

    def renew(self, lease_s: float = LEASE_S) -> None:
        """Postpone the end of the lease; nobody sees that, so the version stays. Raises LeaseLost."""
        if self._held().update(lease_expires_at=lease_end(lease_s)) != 1:
            raise LeaseLost(str(self))

    def release(self, *, counts_as_lost: bool, **changes: Any) -> None:
        """Put the row back to its place in the queue, for another attempt. Raises LeaseLost."""
        lost = F("lost_leases") + (1 if counts_as_lost else 0)
        self.write(worker="", lease_expires_at=None, lost_leases=lost, **changes)

    def _held(self) -> QuerySet[Item]:
        rows = self.model._default_manager.filter(pk=self.pk, attempt=self.attempt, worker=self.worker)
        return rows.exclude(status=Status.FINAL)

    def __str__(self) -> str:
        return f"{self.model.__name__.lower()} {self.pk}, attempt {self.attempt}, by {self.worker}"


def lease_end(lease_s: float) -> Any:
    return Now() + timedelta(seconds=lease_s)


def waiting(rows: QuerySet[Item]) -> QuerySet[Item]:
    """Those of `rows` that nobody works on, by class and then first come, first served."""
    return rows.exclude(status=Status.FINAL).filter(IS_FREE).order_by("queue_class", "queued_at", "id")


def held(rows: QuerySet[Item]) -> QuerySet[Item]:
    """Those of `rows` that a living worker works on, as far as its lease tells."""
    return rows.exclude(status=Status.FINAL).filter(IS_HELD)


def somebody_judges() -> bool:
    """Whether any worker works on anything, whoever waits for it."""
    return any(held(model._default_manager.all()).exists() for model in QueueItem.__subclasses__())


def claim_first(
    rows: QuerySet[Item], worker: str, lease_s: float, order: Order[Item]
) -> tuple[Claim[Item], Item] | None:
    """Claim the first row that waits in `order`, inside the caller's transaction. The item is as it was before.

    On PostgreSQL the row is locked and rows locked by other workers are passed over; on SQLite the
    transaction is immediate, so there is no other. Either way the update counts only if `attempt`
    is still what was read.
    """
    # By its number alone: in what is sorted, each row would carry its source of up to 256 KiB.
    pk = order(rows).select_for_update(skip_locked=True).values_list("pk", flat=True).first()
    if pk is None:
        return None
    item = rows.model._default_manager.get(pk=pk)
    claimed = rows.model._default_manager.filter(pk=item.pk, attempt=item.attempt).exclude(status=Status.FINAL)
    changed = claimed.update(
        attempt=F("attempt") + 1,
        version=F("version") + 1,
        worker=Value(worker, CharField()),
        lease_expires_at=lease_end(lease_s),
        # Whoever gives back leaves no name behind: a name means that the worker died or was cut off.
        lost_leases=F("lost_leases") + (1 if item.worker else 0),
    )
    if changed != 1:
        return None
    return Claim(rows.model, item.pk, item.attempt + 1, worker), item


def claim_next(
    rows: QuerySet[Item],
    worker: str,
    lease_s: float,
    begin: Callable[[Claim[Item]], Item],
    set_aside: Callable[[Claim[Item]], None],
    order: Order[Item] = waiting,
) -> tuple[Claim[Item], Item] | None:
    """Claim the first row that waits in `order` and `begin` it, in one transaction; None when nothing waits.

    A row on which too many workers died is `set_aside` on the way, and the next one is taken.
    """
    while waiting(rows).exists():  # looking takes no lock
        with transaction.atomic():
            claimed = claim_first(rows, worker, lease_s, order)
            if claimed is None:
                return None
            claim, before = claimed
            if before.lost_leases + bool(before.worker) < LOST_LEASES_LIMIT:
                return claim, begin(claim)
            set_aside(claim)
    return None


def expire_leases(worker: str) -> int:
    """Somebody saw `worker` die: what it held may be claimed at once. Answers how many rows that were."""
    expired = 0
    for model in QueueItem.__subclasses__():
        held = model._default_manager.filter(worker=worker).exclude(status=Status.FINAL)
        expired += held.update(lease_expires_at=Now() - timedelta(seconds=1))
    return expired
