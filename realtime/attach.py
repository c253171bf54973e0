"""Attaching: from a session and a hello to rights, topics, heads and, where needed, a snapshot.

Runs in a thread, for a batch of connections. Heads are read before data, so a snapshot may already
hold what the first events repeat, and never lacks what no event will bring.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from django.utils import timezone

from contest.access import Rights, rights_in
from contest.models import Contest, Record
from contest.rules.phases import Phase
from contest.selectors import live
from realtime import timer_rows
from realtime.frames import encode
from realtime.log_reading import Head, read_heads
from realtime.protocol import CloseCode, Cursor, EndCode
from realtime.sessions import Visitor, read_visitors
from realtime.streams import Stream
from realtime.topics import of_contest, topics_of

FINISHED_AFTER = timedelta(seconds=30)
"""How long the stream of a record goes on after its final state."""


class TurnedAway(Exception):
    """This stream is not for this visitor, for good."""

    def __init__(self, close_code: CloseCode, end_code: EndCode, message: str) -> None:
        super().__init__(message)
        self.close_code = close_code
        self.end_code = end_code
        self.message = message


@dataclass(frozen=True, slots=True)
class Request:
    """`target` is a contest's slug or a record's number; `cursor` None asks for a snapshot."""

    stream: Stream
    target: str
    visitor: Visitor
    client: str
    cursor: dict[str, Cursor] | None


@dataclass(frozen=True, slots=True)
class Admission:
    """What a visitor may follow at this moment: short names of topics with their keys."""

    contest: Contest
    rights: Rights
    record: Record | None
    topics: dict[str, str]


@dataclass(frozen=True, slots=True)
class Attached:
    admission: Admission
    heads: dict[str, Head]
    positions: dict[str, int]
    snapshot: str | None
    contest_head: Head
    finishes_in_ms: float | None = None
    timer: timer_rows.Session | None = None
    unsent: list[tuple[int, int]] = field(default_factory=list)
    """Notices (id, version) of the snapshot that the ledger does not know as sent to this visitor."""


def admit(stream: Stream, target: str, visitor: Visitor) -> Admission:
    """Who may follow what. Raises TurnedAway."""
    record = _find_record(target) if stream.name == "record" else None
    contest = record.contest if record else _find_contest(target)
    rights = rights_in(contest, visitor.user)
    if not rights.may_see_contest and not rights.is_banned and record is None:
        # Before somebody without a part in it, a private contest does not exist.
        raise TurnedAway(CloseCode.NOT_FOUND, EndCode.NOT_FOUND, "There is no such contest.")
    if not stream.may(rights, record):
        raise TurnedAway(CloseCode.FORBIDDEN, EndCode.FORBIDDEN, stream.forbidden)
    if rights.phase is Phase.ARCHIVED:
        raise TurnedAway(CloseCode.FINISHED, EndCode.ARCHIVED, "This contest is closed; nothing changes any more.")
    return Admission(contest, rights, record, topics_of(stream.name, rights, record.pk if record else None))


def _find_contest(slug: str) -> Contest:
    contest = Contest.objects.filter(slug=slug).first()
    if contest is None:
        raise TurnedAway(CloseCode.NOT_FOUND, EndCode.NOT_FOUND, "There is no such contest.")
    return contest


def _find_record(number: str) -> Record:
    records = Record.objects.select_related("contest", "problem", "user", "participation")
    record = records.filter(pk=int(number)).first()
    if record is None:
        raise TurnedAway(CloseCode.NOT_FOUND, EndCode.NOT_FOUND, "There is no such record.")
    return record


def attach_all(requests: Sequence[Request]) -> list[Attached | Exception]:
    return [_caught(request) for request in requests]


def _caught(request: Request) -> Attached | Exception:
    try:
        return _attach(request)
    except TurnedAway as turned_away:
        return turned_away


@dataclass(frozen=True, slots=True)
class Rechecked:
    visitor: Visitor
    admission: Admission


def recheck_all(requests: Sequence[Request]) -> list[Rechecked | Exception]:
    """Whether each may still follow what it follows, by session, account and rights as they are now."""
    visitors = read_visitors([request.visitor.session_key for request in requests])
    return [_recheck(request, visitor) for request, visitor in zip(requests, visitors, strict=True)]


def _recheck(request: Request, visitor: Visitor | None) -> Rechecked | Exception:
    try:
        if visitor is None or visitor.user_id != request.visitor.user_id:
            raise TurnedAway(CloseCode.SIGNED_OUT, EndCode.SIGNED_OUT, "You are signed out. Sign in to go on.")
        return Rechecked(visitor, admit(request.stream, request.target, visitor))
    except TurnedAway as turned_away:
        return turned_away


def _attach(request: Request) -> Attached:
    admission = admit(request.stream, request.target, request.visitor)
    contest_topic = of_contest(admission.contest.pk)
    heads = read_heads([*admission.topics.values(), contest_topic])
    by_short = {short: heads[key] for short, key in admission.topics.items()}
    timer = _timer_session(request, admission)
    if _serves(by_short, request.cursor):
        assert request.cursor is not None
        positions = {short: request.cursor[short].seq for short in by_short}
        finishes_in_ms = _finishes_in_ms(admission)
        return Attached(admission, by_short, positions, None, heads[contest_topic], finishes_in_ms, timer)
    accumulated_ms = timer.accumulated_ms if timer else 0
    snapshot = live.read_snapshot(
        request.stream.name,
        admission.contest,
        admission.rights,
        record=admission.record,
        accumulated_ms=accumulated_ms,
    )
    return Attached(
        admission,
        by_short,
        {short: head.seq for short, head in by_short.items()},
        encode(snapshot.data),
        heads[contest_topic],
        _finishes_in_ms(admission),
        timer,
        snapshot.unsent,
    )


def _serves(heads: dict[str, Head], cursor: dict[str, Cursor] | None) -> bool:
    """Whether every topic of the stream can be told from where the client left it."""
    if cursor is None:
        return False
    return all(short in cursor and head.serves(cursor[short]) for short, head in heads.items())


def _finishes_in_ms(admission: Admission) -> float | None:
    record = admission.record
    if record is None or record.status != "final":
        return None
    since = record.judged_at or record.submitted_at
    return max(0.0, (since + FINISHED_AFTER - timezone.now()) / timedelta(milliseconds=1))


def _timer_session(request: Request, admission: Admission) -> timer_rows.Session | None:
    if request.stream.name != "timer":
        return None
    return timer_rows.take_over(admission.contest, admission.rights, request.client)


def read_own_cursors(stream: str, rights: Rights, record_id: int | None) -> dict[str, dict[str, object]]:
    """Heads of the topics that `stream` reads for a viewer, as in frames. For pages: `contest.ports`."""
    topics = topics_of(stream, rights, record_id)
    heads = read_heads(topics.values())
    return {short: {"epoch": heads[key].epoch, "seq": heads[key].seq} for short, key in topics.items()}
