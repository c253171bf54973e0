"""Notices as their readers see them, and as the jury lists them."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Exists, F, OuterRef, Q

from contest.models import Contest, Notice, NoticeReceipt, NoticeVersion
from contest.presenters import Json, present_notice

NOTICES_LIMIT = 500
"""More of them in force at once are no notices any more."""


@dataclass(frozen=True)
class InForce:
    """A notice's current text, and what the ledger knows of one reader and this very version."""

    version: NoticeVersion
    is_sent: bool
    is_confirmed: bool


def notices_in_force(contest: Contest, user_id: int | None) -> list[InForce]:
    """What was posted to all or to this reader and not withdrawn, newest text first: one query."""
    current = NoticeVersion.objects.filter(
        _for(user_id), notice__contest=contest, notice__withdrawn_at=None, version=F("notice__version")
    )
    receipts = NoticeReceipt.objects.filter(notice=OuterRef("notice"), version=OuterRef("version"), user=user_id)
    known = current.annotate(
        is_sent=Exists(receipts),
        is_confirmed=Exists(receipts.filter(confirmed_at__isnull=False)),
    )
    rows = known.select_related("problem").order_by("-posted_at", "-notice_id")[:NOTICES_LIMIT]
    return [InForce(row, row.is_sent, row.is_confirmed) for row in rows]


def unsent_to(contest: Contest, user_id: int) -> list[tuple[int, int]]:
    """(id, version) of the texts in force that the ledger does not know as sent to this reader: one query."""
    known = NoticeReceipt.objects.filter(notice=OuterRef("notice"), version=OuterRef("version"), user=user_id)
    current = NoticeVersion.objects.filter(
        _for(user_id), ~Exists(known), notice__contest=contest, notice__withdrawn_at=None, version=F("notice__version")
    )
    return list(current.values_list("notice_id", "version")[:NOTICES_LIMIT])


def present_in_force(found: InForce) -> Json:
    return present_notice(found.version) | {"confirmed": found.is_confirmed}


def staff_notices(contest: Contest) -> list[NoticeVersion]:
    """The newest version of every notice, withdrawn ones too, newest first."""
    newest = NoticeVersion.objects.filter(notice__contest=contest).filter(
        Q(version=F("notice__version")) | Q(notice__withdrawn_at__isnull=False, version=F("notice__version") - 1)
    )
    return list(newest.select_related("notice", "problem", "posted_by").order_by("-notice__posted_at", "-notice_id"))


def ledger_counts(contest: Contest) -> dict[int, dict[str, int]]:
    """Notice id → how many were reached by its current text, for the console's list: one query."""
    reached = Notice.objects.filter(contest=contest).annotate(
        delivered=Count("receipts", filter=_current & Q(receipts__delivered_at__isnull=False)),
        confirmed=Count("receipts", filter=_current & Q(receipts__confirmed_at__isnull=False)),
    )
    return {row.pk: {"delivered": row.delivered, "confirmed": row.confirmed} for row in reached}


# --- Parts ----------------------------------------------------------------------------------------

_current = Q(receipts__version=F("version")) | Q(withdrawn_at__isnull=False, receipts__version=F("version") - 1)


def _for(user_id: int | None) -> Q:
    to_all = Q(notice__audience=Notice.Audience.ALL)
    return to_all if user_id is None else to_all | Q(notice__recipients__user=user_id)
