"""Attaching: from a session and a hello to rights, topics, heads and, where needed, a snapshot.

Runs in a thread, for a batch of connections. Heads are read before data, so a snapshot may already
hold what the first events repeat, and never lacks what no event will bring.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from django.utils import timezone

from contest.access import Rights
from contest.selectors import live
from contest.selectors.notices import unsent_to
from contest.streams import StreamName
from realtime.entry.admitting import Admission, TurnedAway, admit_all
from realtime.entry.sessions import Visitor, read_visitors
from realtime.log.reading import Head, read_heads
from realtime.log.topics import of_contest, topics_of
from realtime.streams import Stream
from realtime.timer import rows as timer_rows
from realtime.wire.frames import encode
from realtime.wire.protocol import CloseCode, Cursor, EndCode

FINISHED_AFTER = timedelta(seconds=30)
"""How long the stream of a record goes on after its final state."""


@dataclass(frozen=True, slots=True)
class Request:
    """`target` is a contest's slug or a record's number; `cursor` None asks for a snapshot."""

    stream: Stream
    target: str
    visitor: Visitor
    client: str
    cursor: dict[str, Cursor] | None
    is_first: bool = False
    """The page was just loaded: its cursor is of the moment in which the server wrote it."""


@dataclass(frozen=True, slots=True)
class Attached:
    admission: Admission
    heads: dict[str, Head]
    positions: dict[str, int]
    contest_head: Head
    snapshot: str | None = None
    finishes_in_ms: float | None = None
    timer: timer_rows.Session | None = None
    unsent: list[tuple[int, int]] = field(default_factory=list)
    """Notices (id, version) of the snapshot or the page that the ledger does not know as sent to this visitor."""


def attach_all(requests: Sequence[Request]) -> list[Attached | Exception]:
    admissions = admit_all([(each.stream, each.target, each.visitor) for each in requests])
    heads = read_heads(_topics_of(admissions))
    return [
        admission if isinstance(admission, TurnedAway) else _attach(request, admission, heads)
        for request, admission in zip(requests, admissions, strict=True)
    ]


def _topics_of(admissions: Sequence[Admission | TurnedAway]) -> set[str]:
    """All topics to follow, and those of the contests, whose changes every connection follows."""
    found: set[str] = set()
    for admission in admissions:
        if isinstance(admission, Admission):
            found.update(admission.topics.values(), (of_contest(admission.contest.pk),))
    return found


@dataclass(frozen=True, slots=True)
class Rechecked:
    visitor: Visitor
    admission: Admission


def recheck_all(requests: Sequence[Request]) -> list[Rechecked | Exception]:
    """Whether each may still follow what it follows, by session, account and rights as they are now."""
    visitors = read_visitors([request.visitor.session_key for request in requests])
    checked = [
        (request, visitor if visitor is not None and visitor.user_id == request.visitor.user_id else None)
        for request, visitor in zip(requests, visitors, strict=True)
    ]
    wishes = [(each.stream, each.target, visitor) for each, visitor in checked if visitor]
    admissions = iter(admit_all(wishes, are_known=True))
    return [_rechecked(visitor, next(admissions)) if visitor else _signed_out() for _, visitor in checked]


def _rechecked(visitor: Visitor, admission: Admission | TurnedAway) -> Rechecked | Exception:
    return admission if isinstance(admission, TurnedAway) else Rechecked(visitor, admission)


def _signed_out() -> TurnedAway:
    return TurnedAway(CloseCode.SIGNED_OUT, EndCode.SIGNED_OUT, "You are signed out. Sign in to go on.")


def _attach(request: Request, admission: Admission, heads: dict[str, Head]) -> Attached:
    by_short = {short: heads[key] for short, key in admission.topics.items()}
    timer = _timer_session(request, admission)
    attached = Attached(
        admission=admission,
        heads=by_short,
        positions={short: head.seq for short, head in by_short.items()},
        contest_head=heads[of_contest(admission.contest.pk)],
        finishes_in_ms=_finishes_in_ms(admission),
        timer=timer,
    )
    if request.cursor is not None and _serves(by_short, request.cursor):
        positions = {short: request.cursor[short].seq for short in by_short}
        return replace(attached, positions=positions, unsent=_sent_with_page(request, admission))
    snapshot = live.read_snapshot(
        request.stream.name,
        admission.contest,
        admission.rights,
        record=admission.record,
        accumulated_ms=timer.accumulated_ms if timer else 0,
    )
    return replace(attached, snapshot=encode(snapshot.data), unsent=snapshot.unsent)


def _sent_with_page(request: Request, admission: Admission) -> list[tuple[int, int]]:
    """The notices that are in the page itself, as no connection has carried them. The page may lie in a tab that
    nobody looks at: then this is all that is known."""
    if not request.is_first or request.stream.name is not StreamName.ANNOUNCEMENTS:
        return []
    return unsent_to(admission.contest, request.visitor.user_id)


def _serves(heads: dict[str, Head], cursor: dict[str, Cursor]) -> bool:
    """Whether every topic of the stream can be told from where the client left it."""
    return all(short in cursor and head.serves(cursor[short]) for short, head in heads.items())


def _finishes_in_ms(admission: Admission) -> float | None:
    record = admission.record
    if record is None or record.status != "final":
        return None
    since = record.judged_at or record.submitted_at
    return max(0.0, (since + FINISHED_AFTER - timezone.now()) / timedelta(milliseconds=1))


def _timer_session(request: Request, admission: Admission) -> timer_rows.Session | None:
    if request.stream.name is not StreamName.TIMER:
        return None
    return timer_rows.take_over(admission.contest, admission.rights, request.client)


def read_own_cursors(stream: StreamName, rights: Rights, record_id: int | None) -> dict[str, dict[str, object]]:
    """Heads of the topics that `stream` reads for a viewer, as in frames. For pages: `contest.ports`."""
    topics = topics_of(stream, rights, record_id)
    heads = read_heads(topics.values())
    return {short: {"epoch": heads[key].epoch, "seq": heads[key].seq} for short, key in topics.items()}
