"""The delivery ledger of one notice as staff see it: counts, and who has it, lacks it, is away or behind.

It stays quick for thousands of contestants: the database counts, and a page of people is all that is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.db.models import Case, Count, F, FilteredRelation, IntegerField, Q, QuerySet, Value, When

from contest.models import Notice, NoticeReposting, NoticeVersion, User
from contest.ports import Presence, read_presence
from contest.presenters import Json, present_notice, present_presence, present_time

PEOPLE_A_PAGE = 100

STAGE_WORDS = {"waiting": "posted", "sent": "sent", "delivered": "seen", "confirmed": "confirmed"}
"""How pages call the last step of a delivery; the JSON keeps its own names."""


class Show(StrEnum):
    """Which people of the audience."""

    ALL = "all"
    UNSEEN = "unseen"  # it has not been on a screen of theirs
    AWAY = "away"  # … and they are not connected either
    UNCONFIRMED = "unconfirmed"


@dataclass(frozen=True, slots=True)
class Delivery:
    """What is known of one contestant and the current version, and of their connections right now."""

    username: str
    name: str
    sent_at: datetime | None
    delivered_at: datetime | None
    confirmed_at: datetime | None
    presence: Presence

    @property
    def stage(self) -> str:
        if self.confirmed_at:
            return "confirmed"
        if self.delivered_at:
            return "delivered"
        return "sent" if self.sent_at else "waiting"

    @property
    def stage_word(self) -> str:
        return STAGE_WORDS[self.stage]

    @property
    def presence_word(self) -> str:
        """How the page says it; "behind" is connected, but not with what there is."""
        if self.presence.behind_since:
            return "behind"
        if self.presence.connected_since:
            return "connected"
        return "away" if self.presence.disconnected_since else "never connected"

    @property
    def presence_since(self) -> datetime | None:
        known = self.presence
        return known.behind_since or known.connected_since or known.disconnected_since


@dataclass(frozen=True)
class Ledger:
    """`page` of `pages`, both from 1; `found` people in all of them."""

    notice: Notice
    version: NoticeVersion  # the last text; a withdrawn notice keeps it
    counts: dict[str, int]
    show: Show
    found: int
    page: int
    pages: int
    people: list[Delivery]
    repostings: list[NoticeReposting]


def ledger(notice: Notice, show: Show = Show.ALL, page: int | None = None) -> Ledger:
    """`page` None: everybody at once. Who has come least far comes first. Seven queries, however many people."""
    version = notice.last_text()
    audience = _audience(notice, version)
    presence = read_presence(notice.contest_id)
    connected = [user_id for user_id, known in presence.items() if known.connected_since]
    counts = _counts(audience, presence, connected)
    shown = _shown(audience, show, connected)
    found = counts["audience"] if show is Show.ALL else shown.count()
    pages = 1 if page is None else max(1, -(-found // PEOPLE_A_PAGE))
    at = min(max(page or 1, 1), pages)
    if page is not None:
        shown = shown[(at - 1) * PEOPLE_A_PAGE : at * PEOPLE_A_PAGE]
    people = [_delivery(user, presence) for user in shown]
    repostings = list(notice.repostings.select_related("posted_by"))
    return Ledger(notice, version, counts, show, found, at, pages, people, repostings)


def present_ledger(found: Ledger) -> Json:
    """As docs/organising.md describes it, field by field."""
    return {
        "notice": present_notice(found.version),
        "withdrawn_at": present_time(found.notice.withdrawn_at),
        "audience": found.notice.audience,
        "counts": found.counts,
        "repostings": [_present_reposting(each) for each in found.repostings],
        "show": found.show,
        "found": found.found,
        "page": found.page,
        "pages": found.pages,
        "people": [_present_delivery(each) for each in found.people],
    }


# --- Parts ----------------------------------------------------------------------------------------


def _audience(notice: Notice, version: NoticeVersion) -> QuerySet[User]:
    """Whom it is for, each with the times of this version as `sent_at`, `delivered_at` and `confirmed_at`."""
    own = Q(notice_receipts__notice=notice, notice_receipts__version=version.version)
    return (
        notice.readers()
        .annotate(receipt=FilteredRelation("notice_receipts", condition=own))
        .annotate(
            sent_at=F("receipt__sent_at"),
            delivered_at=F("receipt__delivered_at"),
            confirmed_at=F("receipt__confirmed_at"),
        )
    )


def _counts(audience: QuerySet[User], presence: dict[int, Presence], connected: list[int]) -> dict[str, int]:
    steps = audience.aggregate(
        audience=Count("pk"), sent=Count("sent_at"), delivered=Count("delivered_at"), confirmed=Count("confirmed_at")
    )
    there = set(audience.filter(pk__in=connected).values_list("pk", flat=True))
    behind = sum(presence[user_id].behind_since is not None for user_id in there)
    return {**steps, "connected": len(there), "behind": behind}


def _shown(audience: QuerySet[User], show: Show, connected: list[int]) -> QuerySet[User]:
    if show in (Show.UNSEEN, Show.AWAY):
        audience = audience.filter(Q(delivered_at=None))
    if show is Show.AWAY:
        audience = audience.exclude(pk__in=connected)
    if show is Show.UNCONFIRMED:
        audience = audience.filter(Q(confirmed_at=None))
    stage = Case(
        When(sent_at=None, then=Value(0)),
        When(delivered_at=None, then=Value(1)),
        When(confirmed_at=None, then=Value(2)),
        default=Value(3),
        output_field=IntegerField(),
    )
    return audience.order_by(stage, "username")


def _delivery(user: User, presence: dict[int, Presence]) -> Delivery:
    known = presence.get(user.pk) or Presence()
    sent_at, delivered_at, confirmed_at = (getattr(user, name) for name in ("sent_at", "delivered_at", "confirmed_at"))
    return Delivery(user.username, user.shown_name, sent_at, delivered_at, confirmed_at, known)


def _present_delivery(row: Delivery) -> Json:
    return {
        "user": row.username,
        "name": row.name,
        "stage": row.stage,
        "sent_at": present_time(row.sent_at),
        "delivered_at": present_time(row.delivered_at),
        "confirmed_at": present_time(row.confirmed_at),
    } | present_presence(row.presence)


def _present_reposting(row: NoticeReposting) -> Json:
    return {
        "version": row.version,
        "posted_at": present_time(row.posted_at),
        "posted_by": row.posted_by.shown_name if row.posted_by else None,
        "people": row.people,
    }
