"""Who may follow what: for a batch of visitors by a few queries. Runs in a thread."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from contest.access import EXCLUDED, Rights, rights_of_many
from contest.models import Contest, Record, User
from contest.rules.phases import Phase
from contest.streams import StreamName
from realtime.entry.sessions import Visitor
from realtime.log.topics import topics_of
from realtime.streams import Stream
from realtime.wire.protocol import CloseCode, EndCode

AdmissionRequest = tuple[Stream, str, Visitor]
"""(stream, slug of the contest or number of the record, visitor)."""


class TurnedAway(Exception):
    """This stream is not for this visitor, for good."""

    def __init__(self, close_code: CloseCode, end_code: EndCode, message: str) -> None:
        super().__init__(message)
        self.close_code = close_code
        self.end_code = end_code
        self.message = message


@dataclass(frozen=True, slots=True)
class Admission:
    """What a visitor may follow at this moment: short names of topics with their keys."""

    contest: Contest
    rights: Rights
    record: Record | None
    topics: dict[str, str]


def admit_all(requests: Sequence[AdmissionRequest], *, are_known: bool = False) -> list[Admission | TurnedAway]:
    """One answer for each of `requests`; `are_known`: these visitors have followed it until now."""
    records = _find_records({target for stream, target, _ in requests if stream.name is StreamName.RECORD})
    contests = _find_contests({target for stream, target, _ in requests if stream.name is not StreamName.RECORD})
    places = [_place(stream, target, records, contests) for stream, target, _ in requests]
    rights = _read_rights(places, requests)
    return [
        _admit(stream, place, visitor, rights, are_known)
        for (stream, _, visitor), place in zip(requests, places, strict=True)
    ]


Place = tuple[Contest, Record | None] | None


def _find_records(numbers: set[str]) -> dict[str, Record]:
    found = Record.objects.select_related("contest", "problem", "user", "participation")
    return {str(record.pk): record for record in found.filter(pk__in={int(each) for each in numbers})}


def _find_contests(slugs: set[str]) -> dict[str, Contest]:
    return {contest.slug: contest for contest in Contest.objects.filter(slug__in=slugs)}


def _place(stream: Stream, target: str, records: dict[str, Record], contests: dict[str, Contest]) -> Place:
    if stream.name is not StreamName.RECORD:
        return (contests[target], None) if target in contests else None
    record = records.get(str(int(target)))
    return (record.contest, record) if record else None


def _read_rights(places: Sequence[Place], requests: Sequence[AdmissionRequest]) -> dict[tuple[int, int], Rights]:
    """(contest id, user id) → rights."""
    contests: dict[int, Contest] = {}
    users: dict[int, list[User]] = defaultdict(list)
    for place, (_, _, visitor) in zip(places, requests, strict=True):
        if place is not None:
            contests[place[0].pk] = place[0]
            users[place[0].pk].append(visitor.user)
    return {
        (contest_id, user_id): rights
        for contest_id, contest in contests.items()
        for user_id, rights in rights_of_many(contest, users[contest_id]).items()
    }


def _admit(
    stream: Stream, place: Place, visitor: Visitor, rights_by: dict[tuple[int, int], Rights], is_known: bool
) -> Admission | TurnedAway:
    if place is None:
        return _no_such(stream)
    contest, record = place
    rights = rights_by[contest.pk, visitor.user_id]
    if not rights.may_see_contest or not rights.may_follow(stream.name, record):
        if is_known or _may_know_of(record, visitor, rights):
            words = EXCLUDED if rights.is_banned else stream.forbidden
            return TurnedAway(CloseCode.FORBIDDEN, EndCode.FORBIDDEN, words)
        return _no_such(stream)
    if rights.phase is Phase.ARCHIVED:
        message = "This contest is closed; nothing changes any more."
        return TurnedAway(CloseCode.FINISHED, EndCode.ARCHIVED, message)
    return Admission(contest, rights, record, topics_of(stream.name, rights, record.pk if record else None))


def _may_know_of(record: Record | None, visitor: Visitor, rights: Rights) -> bool:
    """For others, a private contest and a foreign record do not exist, as their pages do not: nobody counts records
    by trying numbers. Whoever is banned knows the contest, and everybody their own records."""
    if record is not None:
        return record.user_id == visitor.user_id
    return rights.may_see_contest or rights.is_banned


def _no_such(stream: Stream) -> TurnedAway:
    what = "record" if stream.name is StreamName.RECORD else "contest"
    return TurnedAway(CloseCode.NOT_FOUND, EndCode.NOT_FOUND, f"There is no such {what}.")
