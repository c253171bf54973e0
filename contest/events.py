"""What happened in a contest, told to whoever subscribed, inside the transaction that made it true.

Services call `publish` after their writes and before they commit. Subscribers (the delivery log)
write their own rows in the same transaction: no transaction, no event; no event without its
transaction. A subscriber that raises therefore rolls the change back, on purpose.

Changed rights are no events: the delivery layer sees them by the rows themselves (sessions, accounts,
participations, memberships of the jury), so that no way of changing them can forget to tell.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from django.db import transaction

from contest.models import (
    Clarification,
    Contest,
    JudgeAlarms,
    NoticeVersion,
    Participation,
    Record,
    RecordCase,
    SelfTestOutput,
    SelfTestRun,
)


@dataclass(frozen=True)
class NoticePosted:
    version: NoticeVersion


@dataclass(frozen=True)
class NoticeEdited:
    version: NoticeVersion


@dataclass(frozen=True)
class NoticeWithdrawn:
    version: NoticeVersion


@dataclass(frozen=True)
class NoticePostedAgain:
    """For those who had not seen this version, and for nobody else; the `count`-th time."""

    version: NoticeVersion
    user_ids: tuple[int, ...]
    count: int


@dataclass(frozen=True)
class NoticesConfirmed:
    """`notices` are (notice id, version) that this contestant newly confirmed."""

    contest_id: int
    user_id: int
    notices: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class ClarificationAsked:
    clarification: Clarification


@dataclass(frozen=True)
class ClarificationAnswered:
    clarification: Clarification


@dataclass(frozen=True)
class ContestChanged:
    """Schedule, state or settings changed, or a boundary of the schedule was reached."""

    contest: Contest


@dataclass(frozen=True)
class ExtraTimeChanged:
    """One contestant's own end has moved; nobody else is told."""

    participation: Participation


@dataclass(frozen=True)
class JudgingAlarmed:
    """What is wrong with judging, as far as this contest's jury must know it; an empty list: nothing any more."""

    state: JudgeAlarms


@dataclass(frozen=True)
class StandingsChanged:
    contest: Contest


@dataclass(frozen=True)
class RecordSubmitted:
    record: Record


@dataclass(frozen=True)
class RecordProgressed:
    """Compiling, running or more cases; `cases` are the new ones since the last event."""

    record: Record
    cases: tuple[RecordCase, ...] = ()


@dataclass(frozen=True)
class RecordFinished:
    record: Record
    cases: tuple[RecordCase, ...] = ()


@dataclass(frozen=True)
class RecordReopened:
    record: Record


@dataclass(frozen=True)
class RunQueued:
    """It waits at `position`, 1 being the next; a repeat tells that it has moved."""

    run: SelfTestRun
    position: int
    is_repeat: bool = False


@dataclass(frozen=True)
class RunCompiling:
    run: SelfTestRun


@dataclass(frozen=True)
class Meters:
    """What a running program has used: CPU time in ms, memory at the moment in KiB.

    `stdout_bytes` of its output have been passed on by then.
    """

    time_ms: int
    memory_kb: int
    stdout_bytes: int


@dataclass(frozen=True)
class RunOutput:
    """New chunks, or what it has used, or both; with neither chunks nor use it has just started."""

    run: SelfTestRun
    chunks: tuple[SelfTestOutput, ...]
    meters: Meters | None = None


@dataclass(frozen=True)
class RunFinished:
    run: SelfTestRun


Event = (
    NoticePosted
    | NoticeEdited
    | NoticeWithdrawn
    | NoticePostedAgain
    | NoticesConfirmed
    | ClarificationAsked
    | ClarificationAnswered
    | ContestChanged
    | ExtraTimeChanged
    | JudgingAlarmed
    | StandingsChanged
    | RecordSubmitted
    | RecordProgressed
    | RecordFinished
    | RecordReopened
    | RunQueued
    | RunCompiling
    | RunOutput
    | RunFinished
)

Subscriber = Callable[[Event], None]
_subscribers: list[Subscriber] = []
_S = TypeVar("_S", bound=Subscriber)


def subscribe(subscriber: _S) -> _S:
    """Call `subscriber` for every event, inside its transaction. Usable as a decorator; twice is once."""
    if subscriber not in _subscribers:
        _subscribers.append(subscriber)
    return subscriber


def publish(event: Event) -> None:
    """Tell all subscribers now. Raises RuntimeError outside a transaction: the event could outlive its cause."""
    if not transaction.get_connection().in_atomic_block:
        raise RuntimeError(f"{type(event).__name__} was published outside a transaction")
    for subscriber in _subscribers:
        subscriber(event)
