"""Notices as their readers see them, and the delivery ledger as staff see it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from contest.models import Contest, Notice, NoticeReceipt, NoticeVersion, Participation, User
from contest.presenters import Json, present_notice, present_time

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
        is_sent=Exists(receipts.filter(sent_at__isnull=False)),
        is_confirmed=Exists(receipts.filter(confirmed_at__isnull=False)),
    )
    rows = known.select_related("problem").order_by("-posted_at", "-notice_id")[:NOTICES_LIMIT]
    return [InForce(row, row.is_sent, row.is_confirmed) for row in rows]


def present_in_force(found: InForce) -> Json:
    return present_notice(found.version) | {"confirmed": found.is_confirmed}


def staff_notices(contest: Contest) -> list[NoticeVersion]:
    """The newest version of every notice, withdrawn ones too, newest first."""
    newest = NoticeVersion.objects.filter(notice__contest=contest).filter(
        Q(version=F("notice__version")) | Q(notice__withdrawn_at__isnull=False, version=F("notice__version") - 1)
    )
    return list(newest.select_related("notice", "problem", "posted_by").order_by("-notice__posted_at", "-notice_id"))


@dataclass(frozen=True)
class Delivery:
    """What is known of one contestant and the current version."""

    user_id: int
    username: str
    name: str
    sent_at: datetime | None
    delivered_at: datetime | None
    confirmed_at: datetime | None

    @property
    def stage(self) -> str:
        if self.confirmed_at:
            return "confirmed"
        if self.delivered_at:
            return "delivered"
        return "sent" if self.sent_at else "waiting"


@dataclass(frozen=True)
class Ledger:
    notice: Notice
    version: NoticeVersion  # the last text; a withdrawn notice keeps it
    counts: dict[str, int]
    deliveries: list[Delivery]


def ledger(notice: Notice) -> Ledger:
    """Who of the audience has been reached by the current text: three queries."""
    version = notice.versions.select_related("problem", "posted_by").order_by("-version")[0]
    receipts = {row.user_id: row for row in NoticeReceipt.objects.filter(notice=notice, version=version.version)}
    deliveries = [_delivery(user, receipts.get(user.pk)) for user in _audience(notice)]
    counts = {
        "audience": len(deliveries),
        "sent": sum(bool(row.sent_at or row.delivered_at) for row in deliveries),
        "delivered": sum(bool(row.delivered_at) for row in deliveries),
        "confirmed": sum(bool(row.confirmed_at) for row in deliveries),
    }
    return Ledger(notice, version, counts, deliveries)


def ledger_counts(contest: Contest) -> dict[int, dict[str, int]]:
    """Notice id → how many were reached by its current text, for the console's list: one query."""
    reached = Notice.objects.filter(contest=contest).annotate(
        delivered=Count("receipts", filter=_current & Q(receipts__delivered_at__isnull=False)),
        confirmed=Count("receipts", filter=_current & Q(receipts__confirmed_at__isnull=False)),
    )
    return {row.pk: {"delivered": row.delivered, "confirmed": row.confirmed} for row in reached}


def present_ledger(found: Ledger) -> Json:
    return {
        "notice": present_notice(found.version),
        "withdrawn_at": present_time(found.notice.withdrawn_at),
        "counts": found.counts,
        "people": list(_people(found)),
    }


# --- Parts ----------------------------------------------------------------------------------------

_current = Q(receipts__version=F("version")) | Q(withdrawn_at__isnull=False, receipts__version=F("version") - 1)


def _for(user_id: int | None) -> Q:
    to_all = Q(notice__audience=Notice.Audience.ALL)
    return to_all if user_id is None else to_all | Q(notice__recipients__user=user_id)


def _audience(notice: Notice) -> QuerySet[User]:
    """Those whom the notice is for: registered contestants, or the chosen ones."""
    if notice.audience == Notice.Audience.SOME:
        return User.objects.filter(pk__in=notice.recipients.values("user")).order_by("username")
    taking_part = Participation.objects.filter(contest=notice.contest_id, state=Participation.State.REGISTERED)
    return User.objects.filter(pk__in=taking_part.values("user")).order_by("username")


def _delivery(user: User, receipt: NoticeReceipt | None) -> Delivery:
    if receipt is None:
        return Delivery(user.pk, user.username, user.shown_name, None, None, None)
    times = (receipt.sent_at, receipt.delivered_at, receipt.confirmed_at)
    return Delivery(user.pk, user.username, user.shown_name, *times)


def _people(found: Ledger) -> Iterator[Json]:
    for row in found.deliveries:
        yield {
            "user": row.username,
            "name": row.name,
            "stage": row.stage,
            "sent_at": present_time(row.sent_at),
            "delivered_at": present_time(row.delivered_at),
            "confirmed_at": present_time(row.confirmed_at),
        }
