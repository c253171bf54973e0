"""The delivery ledger: what is known of each contestant and each version of a notice.

A time once set never changes, whatever is repeated and in whatever order it arrives: rows are made
with conflicts ignored, then each time is set only where it is still missing. The number of rows that
such a conditional update changed says who was first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from contest.events import NoticesConfirmed, publish
from contest.models import Contest, Notice, NoticeReceipt, NoticeVersion, User
from contest.services.checks import require_member
from contest.services.errors import Refused

Pair = tuple[int, int]
"""(notice id, version)."""

PAIRS_LIMIT = 200
ROWS_A_STATEMENT = 500


def confirm_notices(contest: Contest, user: User, pairs: Sequence[Pair]) -> list[Pair]:
    """`user` confirms having read these versions. Answers those that were not confirmed before.

    A confirmation implies that the version was on a screen. An older version may be confirmed: that
    is then true of this version, and the newer one stays unconfirmed.
    """
    with transaction.atomic():
        known = _known_pairs(contest, user, pairs)
        fresh = [pair for pair in known if _settle(user, pair, "confirmed_at")]
        if fresh:
            publish(NoticesConfirmed(contest.pk, user.pk, tuple(fresh)))
    return fresh


def mark_delivered(contest: Contest, user: User, pairs: Sequence[Pair]) -> list[Pair]:
    """These versions were shown in a visible page. Answers those for which this is news."""
    with transaction.atomic():
        return [pair for pair in _known_pairs(contest, user, pairs) if _settle(user, pair, "delivered_at")]


def mark_sent(rows: Iterable[tuple[int, int, int]]) -> None:
    """(notice id, version, user id) were written to a connection, in batches of many connections."""
    users_of: dict[Pair, set[int]] = defaultdict(set)
    for notice_id, version, user_id in rows:
        users_of[notice_id, version].add(user_id)
    with transaction.atomic():
        # Sorted: two processes that write overlapping batches take the same locks in the same order.
        for pair in sorted(_existing(users_of)):
            for user_ids in _chunks(sorted(users_of[pair])):
                _mark_sent_to(pair, user_ids)


# --- Parts ----------------------------------------------------------------------------------------


def _known_pairs(contest: Contest, user: User, pairs: Sequence[Pair]) -> list[Pair]:
    """Those of `pairs` that name versions of notices for `user`, sorted; Refused when none of some does."""
    require_member(contest, user)
    if len(pairs) > PAIRS_LIMIT:
        raise Refused("bad-request", f"At most {PAIRS_LIMIT} notices at once.")
    if not pairs:
        return []
    found = (
        NoticeVersion.objects.filter(notice__contest=contest, notice_id__in={notice_id for notice_id, _ in pairs})
        .filter(Q(notice__audience=Notice.Audience.ALL) | Q(notice__recipients__user=user))
        .values_list("notice_id", "version")
    )
    known = sorted(set(found) & set(pairs))
    if not known:
        raise Refused("not-found", "There is no such notice in this contest.")
    return known


def _settle(user: User, pair: Pair, field: str) -> bool:
    """Set `field` (and what it implies) for one receipt; whether it was missing before."""
    now = timezone.now()
    receipt = NoticeReceipt.objects.filter(notice_id=pair[0], version=pair[1], user=user)
    if receipt.filter(**{f"{field}__isnull": False}).exists():
        return False  # the usual repetition costs a read only
    shown = NoticeReceipt(notice_id=pair[0], version=pair[1], user=user, delivered_at=now)
    NoticeReceipt.objects.bulk_create([shown], ignore_conflicts=True)
    receipt.filter(delivered_at=None).update(delivered_at=now)
    if field == "delivered_at":
        return True  # two at the same moment may both hear "news"; the time is set once
    return receipt.filter(confirmed_at=None).update(confirmed_at=now) == 1


def _existing(users_of: dict[Pair, set[int]]) -> set[Pair]:
    ids = {notice_id for notice_id, _ in users_of}
    found = NoticeVersion.objects.filter(notice_id__in=ids).values_list("notice_id", "version")
    return set(found) & set(users_of)


def _mark_sent_to(pair: Pair, user_ids: Sequence[int]) -> None:
    now = timezone.now()
    there = User.objects.filter(pk__in=user_ids).order_by("pk").values_list("pk", flat=True)
    NoticeReceipt.objects.bulk_create(
        [NoticeReceipt(notice_id=pair[0], version=pair[1], user_id=user_id, sent_at=now) for user_id in there],
        ignore_conflicts=True,
    )
    # Rows that a confirmation made first are given their time of sending here.
    NoticeReceipt.objects.filter(notice_id=pair[0], version=pair[1], user_id__in=user_ids, sent_at=None).update(
        sent_at=now
    )


def _chunks(ids: Sequence[int]) -> Iterable[Sequence[int]]:
    return (ids[start : start + ROWS_A_STATEMENT] for start in range(0, len(ids), ROWS_A_STATEMENT))
