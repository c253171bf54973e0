"""Submitting: the source becomes a record, and the record's row is its place in the judge's queue."""

from __future__ import annotations

import hashlib
import math
from datetime import datetime, timedelta

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from contest.access import Rights, rights_in
from contest.events import RecordSubmitted, publish
from contest.models import Package, Participation, Problem, Record, User
from contest.models.queue import Status
from contest.rules.phases import Phase
from contest.services.checks import one_at_a_time, require_source, why_closed
from contest.services.errors import Refused
from contest.services.standings import touch_standings

UNJUDGED_LIMIT = 30
"""Records of one user that wait for the judge; one more is refused until some are judged."""
BUSY_RETRY_MS = 10_000
MINUTE = timedelta(minutes=1)
KEY_LIMIT_CHARS = 100


def submit(problem: Problem, user: User, *, language: str, source: str, idempotency_key: str | None = None) -> Record:
    """Submit `source` to `problem`; judged with the package that is current now.

    A repeat of `idempotency_key` by the same user submits nothing and answers the first record; the same key
    with another problem, language or source is no repeat and is refused. The moment of submission is the
    server's, taken here. Refused as "busy", with when to try again: too many within a minute, or too many unjudged.
    """
    source_sha256 = hashlib.sha256(source.encode(errors="surrogatepass")).hexdigest()
    first = _submitted_with(user, idempotency_key)
    if first is not None:
        return _require_repeat(first, problem, language, source_sha256)
    now = timezone.now()  # one moment decides whether the contest is open and is the time of submission
    rights = rights_in(problem.contest, user, now)
    package = _require_open(problem, rights)
    require_source(language, source)
    try:
        with transaction.atomic():
            one_at_a_time(user)
            _require_pace(problem, user, now)
            _require_patience(problem, user)
            record = _create(problem, package, user, rights, now, language, source, source_sha256, idempotency_key)
            publish(RecordSubmitted(record))
            if record.purpose == Record.Purpose.CONTEST:
                touch_standings(problem.contest)  # the board counts what waits for its outcome
    except IntegrityError:
        # The same form sent twice at once: the unique key let one through.
        first = _submitted_with(user, idempotency_key)
        if first is None:
            raise
        return _require_repeat(first, problem, language, source_sha256)
    return record


def _submitted_with(user: User, key: str | None) -> Record | None:
    if key is None:
        return None
    if not 0 < len(key) <= KEY_LIMIT_CHARS:
        raise Refused("bad-request", f"An idempotency key has 1 to {KEY_LIMIT_CHARS} characters.")
    found = Record.objects.filter(user=user, idempotency_key=key)
    return found.select_related("contest", "problem", "user", "package").first()


def _require_repeat(first: Record, problem: Problem, language: str, source_sha256: str) -> Record:
    """`first`, if this is it once more: a key that came back with something else must not swallow it."""
    if (first.problem_id, first.language, first.source_sha256) != (problem.pk, language, source_sha256):
        raise Refused("bad-request", "This form was sent before with something else. Reload the page, then submit.")
    return first


def _require_open(problem: Problem, rights: Rights) -> Package:
    """The package to judge with, or Refused with the reason in words."""
    if not rights.may_see_problems or (problem.is_draft and not rights.is_staff):
        if rights.is_registered and rights.phase is Phase.COMING:
            raise Refused("forbidden", "The contest has not started yet.")
        raise Refused("not-found", "There is no such problem in this contest.")
    if not rights.may_submit:
        raise Refused("forbidden", why_closed(rights))
    if problem.package is None:
        raise Refused("bad-request", "This problem has no tests yet, so nothing can be judged.")
    return problem.package


def _require_pace(problem: Problem, user: User, now: datetime) -> None:
    """Threat: what is submitted is kept, so without a bound in time one person fills the database."""
    limit = settings.SUBMISSIONS_PER_MIN
    if not limit:
        return
    newest_first = Record.objects.filter(contest=problem.contest, user=user).order_by("-id")
    window_began_at = newest_first.values_list("submitted_at", flat=True)[limit - 1 : limit].first()
    if window_began_at is None or window_began_at <= now - MINUTE:
        return
    wait_s = math.ceil((window_began_at + MINUTE - now).total_seconds())
    seconds = "1 second" if wait_s == 1 else f"{wait_s} seconds"
    raise Refused("busy", f"You have submitted {limit} times within a minute; try again in {seconds}.", wait_s * 1000)


def _require_patience(problem: Problem, user: User) -> None:
    waiting = Record.objects.filter(contest=problem.contest, user=user).exclude(status=Status.FINAL).count()
    if waiting >= UNJUDGED_LIMIT:
        raise Refused("busy", f"{waiting} of your records wait for the judge; try again in a moment.", BUSY_RETRY_MS)


def _create(
    problem: Problem,
    package: Package,
    user: User,
    rights: Rights,
    now: datetime,
    language: str,
    source: str,
    source_sha256: str,
    idempotency_key: str | None,
) -> Record:
    counts = not rights.is_staff
    participation = Participation.objects.get(contest=problem.contest, user=user) if counts else None
    return Record.objects.create(
        contest=problem.contest,
        problem=problem,
        user=user,
        participation=participation,
        purpose=Record.Purpose.CONTEST if counts else Record.Purpose.STAFF,
        package=package,
        language=language,
        source=source,
        source_sha256=source_sha256,
        cases_total=package.tests.count(),
        submitted_at=now,
        queued_at=now,
        idempotency_key=idempotency_key,
    )
