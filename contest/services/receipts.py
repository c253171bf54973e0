"""The delivery ledger: what is known of each contestant and each version of a notice.

Three steps, each of which implies those before it: sent, delivered, confirmed. A time once set never
changes, whatever is repeated and in whatever order it arrives. All that many people report is one
statement: rows that conflict are raised only to a step that they have not taken, and the rows that the
statement answers are those for which it was news.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from contest.access import rights_of_many
from contest.events import NoticesConfirmed, publish
from contest.models import Contest, Notice, NoticeRecipient, NoticeVersion, User
from contest.services.errors import Refused

Pair = tuple[int, int]
"""(notice id, version)."""
Row = tuple[int, int, int]
"""(notice id, version, user id)."""

PAIRS_LIMIT = 200
ROWS_A_STATEMENT = 5_000
"""SQLite takes 32,766 parameters, and a row has six."""


class Step(IntEnum):
    """How far a version has come with one contestant."""

    SENT = 1  # written to a connection
    DELIVERED = 2  # shown on a visible page
    CONFIRMED = 3  # the contestant says that it was read


@dataclass(frozen=True, slots=True)
class Report:
    """These versions have taken this step with `user`. That they were sent the server says itself, unasked."""

    step: Step
    contest: Contest
    user: User
    pairs: Sequence[Pair]


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of a report: `held` of its pairs are in the ledger with this step now, `news` were not before."""

    held: list[Pair]
    news: list[Pair]


def confirm_notices(contest: Contest, user: User, pairs: Sequence[Pair]) -> list[Pair]:
    """`user` confirms having read these versions. Answers those that were not confirmed before.

    An older version may be confirmed: that is then true of this version, and the newer one stays
    unconfirmed. Raises Refused.
    """
    (answer,) = take_reports([Report(Step.CONFIRMED, contest, user, pairs)])
    if isinstance(answer, Refused):
        raise answer
    return answer.news


def take_reports(reports: Sequence[Report]) -> list[Taken | Refused]:
    """All of them in one transaction and, up to 5,000 rows, one statement; in their order, what became of each,
    or why it is refused, which changes nothing of the others."""
    with transaction.atomic():
        valid = _validate(reports)
        steps: dict[Row, Step] = {}
        for report, pairs in zip(reports, valid, strict=True):
            for pair in [] if isinstance(pairs, Refused) else pairs:
                row = (*pair, report.user.pk)
                steps[row] = max(report.step, steps.get(row, Step.SENT))
        fresh = _raise_steps(steps)
        _tell_confirmed(reports, {row for row in fresh if steps[row] is Step.CONFIRMED})
    # Of two reports of one row in one batch the first is the one that brings the news.
    return [
        pairs if isinstance(pairs, Refused) else Taken(pairs, _news(report, pairs, steps, fresh))
        for report, pairs in zip(reports, valid, strict=True)
    ]


# --- Parts ----------------------------------------------------------------------------------------


def _news(report: Report, pairs: Sequence[Pair], steps: dict[Row, Step], fresh: set[Row]) -> list[Pair]:
    found = []
    for pair in pairs:
        row = (*pair, report.user.pk)
        if row in fresh and steps[row] is report.step:
            fresh.discard(row)
            found.append(pair)
    return found


def _validate(reports: Sequence[Report]) -> list[list[Pair] | Refused]:
    """The pairs of each report that name versions of notices for its user, sorted; a few queries for all."""
    known = _Known(reports)
    return [known.check(report) for report in reports]


class _Known:
    """What there is to know about the notices and the people of a batch."""

    def __init__(self, reports: Sequence[Report]) -> None:
        ids = {notice_id for report in reports for notice_id, _ in report.pairs[:PAIRS_LIMIT]}
        rows = NoticeVersion.objects.filter(notice_id__in=ids).values_list(
            "notice_id", "version", "notice__contest_id", "notice__audience"
        )
        self._contest_of: dict[Pair, int] = {}
        self._for_some: set[int] = set()
        for notice_id, version, contest_id, audience in rows:
            self._contest_of[notice_id, version] = contest_id
            if audience == Notice.Audience.SOME:
                self._for_some.add(notice_id)
        chosen = NoticeRecipient.objects.filter(
            notice_id__in=self._for_some, user_id__in={report.user.pk for report in reports}
        )
        self._chosen = set(chosen.values_list("notice_id", "user_id")) if self._for_some else set()
        self._members = _members(reports)

    def check(self, report: Report) -> list[Pair] | Refused:
        if (report.contest.pk, report.user.pk) not in self._members:
            return Refused("forbidden", "Only registered contestants and the jury may do that.")
        if len(report.pairs) > PAIRS_LIMIT:
            return Refused("bad-request", f"At most {PAIRS_LIMIT} notices at once.")
        pairs = sorted({pair for pair in report.pairs if self._is_for(report, pair)})
        if report.pairs and not pairs:
            return Refused("not-found", "There is no such notice in this contest.")
        return pairs

    def _is_for(self, report: Report, pair: Pair) -> bool:
        if self._contest_of.get(pair) != report.contest.pk:
            return False
        return pair[0] not in self._for_some or (pair[0], report.user.pk) in self._chosen


def _members(reports: Sequence[Report]) -> set[tuple[int, int]]:
    """(contest, user) of those who may say anything of notices: two queries for each contest."""
    people: dict[int, tuple[Contest, dict[int, User]]] = {}
    for report in reports:
        people.setdefault(report.contest.pk, (report.contest, {}))[1][report.user.pk] = report.user
    return {
        (contest_id, user_id)
        for contest_id, (contest, users) in people.items()
        for user_id, rights in rights_of_many(contest, users.values()).items()
        if rights.may_connect
    }


def _tell_confirmed(reports: Sequence[Report], confirmed: set[Row]) -> None:
    """One event for each person, whatever came in how many commands."""
    pairs_of: dict[tuple[int, int], list[Pair]] = defaultdict(list)
    contest_of = {pair: report.contest.pk for report in reports for pair in report.pairs}
    for notice_id, version, user_id in sorted(confirmed):
        pairs_of[contest_of[notice_id, version], user_id].append((notice_id, version))
    for (contest_id, user_id), pairs in pairs_of.items():
        publish(NoticesConfirmed(contest_id, user_id, tuple(pairs)))


def _raise_steps(steps: dict[Row, Step]) -> set[Row]:
    """Raise each row to its step where it has not taken it yet; answers those rows.

    Sorted: two processes that write overlapping batches take the same locks in the same order.
    """
    return {row for part in _parts(sorted(steps)) for row in _raise_part({row: steps[row] for row in part})}


def _raise_part(steps: dict[Row, Step]) -> list[Row]:
    now = connection.ops.adapt_datetimefield_value(timezone.now())
    values: list[Any] = []
    for row, step in steps.items():
        values += [*row, now, now if step >= Step.DELIVERED else None, now if step >= Step.CONFIRMED else None]
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO contest_noticereceipt AS old"  # noqa: S608
            " (notice_id, version, user_id, sent_at, delivered_at, confirmed_at)"
            f" VALUES {', '.join(['(%s, %s, %s, %s, %s, %s)'] * len(steps))}"
            " ON CONFLICT (notice_id, version, user_id) DO UPDATE SET"
            " delivered_at = COALESCE(old.delivered_at, excluded.delivered_at),"
            " confirmed_at = COALESCE(old.confirmed_at, excluded.confirmed_at)"
            " WHERE (old.delivered_at IS NULL AND excluded.delivered_at IS NOT NULL)"
            " OR (old.confirmed_at IS NULL AND excluded.confirmed_at IS NOT NULL)"
            " RETURNING notice_id, version, user_id",
            values,
        )
        return [(notice_id, version, user_id) for notice_id, version, user_id in cursor.fetchall()]


def _parts(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    return (rows[start : start + ROWS_A_STATEMENT] for start in range(0, len(rows), ROWS_A_STATEMENT))
