"""What a slot works on next, and how it ends when it cannot be finished."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from contest.models.queue import QueueClass
from contest.services import judging, selftests
from judge.judging import RecordWork
from judge.languages import installed_languages
from judge.selftesting import SelfTestWork
from judge.slot import Slot


class Work(Protocol):
    """A claimed row."""

    def judge(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Job:
    """Work with the way back into the queue."""

    name: str
    work: Work

    def give_back(self, failure: str) -> None:
        """Raises LeaseLost if it is not ours any more."""
        if isinstance(self.work, RecordWork):
            judging.give_back(self.work.claim, failure=failure)
        elif isinstance(self.work, SelfTestWork):
            selftests.give_back_run(self.work.claim, failure=failure)


def next_job(slot: Slot, *, takes_selftests: bool) -> Job | None:
    """Live submissions first, then self-tests, then rejudging and package checks."""
    return (
        _record(slot, QueueClass.LIVE)
        or (_selftest(slot) if takes_selftests else None)
        or _record(slot, QueueClass.BACKGROUND)
    )


def _languages() -> list[str]:
    return [language.id for language in installed_languages()]


def _record(slot: Slot, queue_class: QueueClass) -> Job | None:
    claimed = judging.claim_record(slot.name, queue_class, languages=_languages(), lease_s=slot.lease_s)
    if claimed is None:
        return None
    claim, record = claimed
    return Job(f"record {record.pk}", RecordWork(slot, claim, record))


def _selftest(slot: Slot) -> Job | None:
    claimed = selftests.claim_run(slot.name, languages=_languages(), lease_s=slot.lease_s)
    if claimed is None:
        return None
    claim, run = claimed
    return Job(f"self-test {run.pk}", SelfTestWork(slot, claim, run))
