"""Notices of the organisers: posting, editing, withdrawing. `receipts` keeps their delivery ledger."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.utils import timezone

from contest.events import NoticeEdited, NoticePosted, NoticePostedAgain, NoticeWithdrawn, publish
from contest.markdown import render_markdown
from contest.models import Contest, Notice, NoticeRecipient, NoticeReposting, NoticeVersion, Problem, User
from contest.services.checks import require_staff, require_text
from contest.services.errors import Refused

TITLE_LIMIT_CHARS = 200
BODY_LIMIT_CHARS = 20_000
FORM_KEY_LIMIT_CHARS = 64
AGAIN_AFTER = timedelta(seconds=10)


def post_notice(
    contest: Contest,
    author: User,
    *,
    title: str,
    body: str,
    level: str = NoticeVersion.Level.INFO,
    requires_ack: bool = False,
    problem: Problem | None = None,
    audience_users: Iterable[User] | None = None,
    form_key: str | None = None,
) -> Notice:
    """Post to everybody in `contest`, or to `audience_users` only.

    The same `form_key` again (a form sent twice) posts nothing and answers the first notice.
    """
    require_staff(contest, author)
    text = _checked(contest, title, body, level, problem)
    if form_key is not None and not 0 < len(form_key) <= FORM_KEY_LIMIT_CHARS:
        raise Refused("bad-request", f"A form key has 1 to {FORM_KEY_LIMIT_CHARS} characters.")
    first = _posted_with(contest, form_key)
    if first is not None:
        return first
    try:
        with transaction.atomic():
            return _post(contest, author, text, requires_ack, audience_users, form_key)
    except IntegrityError:
        # Two requests with one form key met: the unique column let one through.
        first = _posted_with(contest, form_key)
        if first is None:
            raise
        return first


def edit_notice(
    notice: Notice,
    author: User,
    *,
    title: str,
    body: str,
    level: str,
    requires_ack: bool,
    problem: Problem | None,
) -> Notice:
    """A new version, which alerts again those who saw the old one. Without a change nothing happens."""
    require_staff(notice.contest, author)
    text = _checked(notice.contest, title, body, level, problem)
    with transaction.atomic():
        locked = _locked(notice)
        if locked.withdrawn_at is not None:
            raise Refused("bad-request", "This notice has been withdrawn. Post a new one.")
        current = locked.versions.get(version=locked.version)
        if _says(current, text, requires_ack):
            return locked
        locked.version += 1
        locked.save(update_fields=["version"])
        publish(NoticeEdited(_add_version(locked, author, text, requires_ack, timezone.now())))
    return locked


def withdraw_notice(notice: Notice, author: User) -> Notice:
    """Take it off every screen; the ledger stays. Withdrawing twice is withdrawing once."""
    require_staff(notice.contest, author)
    with transaction.atomic():
        locked = _locked(notice)
        if locked.withdrawn_at is None:
            last = locked.versions.select_related("problem").get(version=locked.version)
            locked.withdrawn_at = timezone.now()
            locked.version += 1
            locked.save(update_fields=["withdrawn_at", "version"])
            last.notice = locked
            publish(NoticeWithdrawn(last))
    return locked


def post_again(notice: Notice, author: User) -> NoticeReposting:
    """Raise the alert once more for exactly those on whose screens the current version has not been.

    It stays the same version of the same notice: whoever has it meanwhile takes no notice. The ledger keeps who did
    this, when, and for how many. Raises Refused when there is nobody, or it was done a moment ago (a form sent twice).
    """
    require_staff(notice.contest, author)
    with transaction.atomic():
        locked = _locked(notice)
        if locked.withdrawn_at is not None:
            raise Refused("bad-request", "This notice has been withdrawn. Post a new one.")
        now, version = timezone.now(), locked.last_text()
        if locked.repostings.filter(posted_at__gt=now - AGAIN_AFTER).exists():
            raise Refused("busy", "It was posted again a moment ago.", round(AGAIN_AFTER.total_seconds() * 1000))
        seen = locked.receipts.filter(version=version.version, delivered_at__isnull=False)
        unseen = tuple(locked.readers().exclude(pk__in=seen.values("user")).order_by("pk").values_list("pk", flat=True))
        if not unseen:
            raise Refused("bad-request", "Everybody has seen it.")
        said = {"version": version.version, "posted_at": now, "posted_by": author, "people": len(unseen)}
        reposting = NoticeReposting.objects.create(notice=locked, **said)
        count = locked.repostings.filter(version=version.version).count()
        publish(NoticePostedAgain(version, unseen, count))
    return reposting


# --- Parts ----------------------------------------------------------------------------------------


class _Text:
    """What a version says, checked."""

    def __init__(self, title: str, body: str, level: str, problem: Problem | None) -> None:
        self.title, self.body, self.level, self.problem = title, body, level, problem


def _checked(contest: Contest, title: str, body: str, level: str, problem: Problem | None) -> _Text:
    title = require_text(title, "The title", limit=TITLE_LIMIT_CHARS)
    body = require_text(body, "The text", limit=BODY_LIMIT_CHARS)
    if level not in NoticeVersion.Level.values:
        raise Refused("bad-request", f"A notice's level is one of {', '.join(NoticeVersion.Level.values)}.")
    if problem is not None and problem.contest_id != contest.pk:
        raise Refused("bad-request", "That problem belongs to another contest.")
    return _Text(title, body, level, problem)


def _locked(notice: Notice) -> Notice:
    """Not its contest: everybody who submits meanwhile refers to that."""
    rows = Notice.objects.select_for_update(of=("self",), no_key=True)
    return rows.select_related("contest").get(pk=notice.pk)


def _posted_with(contest: Contest, form_key: str | None) -> Notice | None:
    if form_key is None:
        return None
    return Notice.objects.filter(contest=contest, form_key=form_key).first()


def _post(
    contest: Contest,
    author: User,
    text: _Text,
    requires_ack: bool,
    audience_users: Iterable[User] | None,
    form_key: str | None,
) -> Notice:
    now = timezone.now()
    audience = Notice.Audience.ALL if audience_users is None else Notice.Audience.SOME
    notice = Notice.objects.create(contest=contest, audience=audience, posted_at=now, form_key=form_key)
    if audience_users is not None:
        NoticeRecipient.objects.bulk_create(
            [NoticeRecipient(notice=notice, user=user) for user in {user.pk: user for user in audience_users}.values()]
        )
    publish(NoticePosted(_add_version(notice, author, text, requires_ack, now)))
    return notice


def _add_version(notice: Notice, author: User, text: _Text, requires_ack: bool, now: datetime) -> NoticeVersion:
    return NoticeVersion.objects.create(
        notice=notice,
        version=notice.version,
        title=text.title,
        body=text.body,
        html=render_markdown(text.body, first_heading=3),
        level=text.level,
        requires_ack=requires_ack,
        problem=text.problem,
        posted_at=now,
        posted_by=author,
    )


def _says(version: NoticeVersion, text: _Text, requires_ack: bool) -> bool:
    said = (version.title, version.body, version.level, version.problem_id, version.requires_ack)
    return said == (text.title, text.body, text.level, text.problem.pk if text.problem else None, requires_ack)
