"""Trouble with judging that the jury of a contest must know of, found by looking, told when it changes.

Three kinds: no judge is alive; something waits and no judge takes it, or takes it within minutes; submissions
ended as judge errors. What was told is a row with a version: of several nodes that find the same, the one that
raises the version tells, at most once a second. An empty list tells that all is well again.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from contest.events import JudgingAlarmed, publish
from contest.models import Contest, JudgeAlarms, Record, SelfTestRun
from contest.models.queue import QueueClass, Verdict
from contest.ports import living_judges
from contest.presenters import Json, present_time
from contest.services.queue import somebody_judges, waiting

UNTAKEN_AFTER = timedelta(seconds=20)
"""Idle slots look every second: what nobody has taken by then, while nothing is judged, nobody takes."""
LONG_AFTER = timedelta(minutes=5)
BEFORE_START = timedelta(minutes=30)
AFTER_END = timedelta(hours=2)
NAMED_RECORDS = 5
SET_BACK = timedelta(seconds=2)
"""What was told so far in the future was told before the database's clock was set back."""


def check_judging(now: datetime | None = None, *, tells_new: bool = True) -> int:
    """Look at all contests that run, or nearly; answers how many juries were told something new. Without `tells_new`
    alarms are only taken back: what is wrong now and was not known is not told yet."""
    now = now or timezone.now()
    at_hand = Q(starts_at__lt=now + BEFORE_START, ends_at__gt=now - AFTER_END, archived_at=None)
    contests = list(Contest.objects.filter(at_hand | ~Q(judge_alarms__alarms=[]) & Q(judge_alarms__isnull=False)))
    if not contests:
        return 0
    common = _no_judge(now) or _stuck(now)
    return sum(_tell(contest, [*common, *_errors(contest)], tells_new=tells_new) for contest in contests)


# --- What may be wrong ----------------------------------------------------------------------------


def _no_judge(now: datetime) -> list[Json]:
    if living_judges() != 0:
        return []
    count = sum(rows.count() for rows in _queues())
    waits = f" {count} {'waits' if count == 1 else 'wait'} for one." if count else ""
    return [_alarm("no-judge", f"No judge is running.{waits}", now)]


def _stuck(now: datetime) -> list[Json]:
    moments = [rows.values_list("queued_at", flat=True).order_by("queued_at").first() for rows in _queues()]
    oldest = min(filter(None, moments), default=None)
    if oldest is None or now - oldest < UNTAKEN_AFTER:
        return []
    count = sum(rows.count() for rows in _queues())
    what = "One program waits" if count == 1 else f"{count} programs wait"
    if not somebody_judges():
        return [_alarm("queue-stuck", f"{what} to be judged, and no judge takes any.", oldest)]
    if now - oldest < LONG_AFTER:
        return []
    minutes = (now - oldest) // timedelta(minutes=1)
    return [_alarm("queue-stuck", f"{what} to be judged, the first for {minutes} minutes: too few judges.", oldest)]


def _errors(contest: Contest) -> list[Json]:
    failed = Record.objects.filter(contest=contest, purpose=Record.Purpose.CONTEST, verdict=Verdict.JE)
    found = list(failed.order_by("pk").values_list("pk", "judged_at"))
    if not found:
        return []
    named = ", ".join(str(pk) for pk, _ in found[:NAMED_RECORDS])
    more = f" and {len(found) - NAMED_RECORDS} more" if len(found) > NAMED_RECORDS else ""
    what = "A submission" if len(found) == 1 else f"{len(found)} submissions"
    since = min((at for _, at in found if at), default=timezone.now())
    return [_alarm("judge-errors", f"{what} could not be judged: {named}{more}. Each says why; judge it again.", since)]


def _queues() -> tuple[QuerySet[Record], QuerySet[SelfTestRun]]:
    """What somebody waits for. Rejudging and package checks may wait as long as it takes."""
    records = Record.objects.filter(queue_class=QueueClass.LIVE)
    return waiting(records), waiting(SelfTestRun.objects.all())


def _alarm(kind: str, message: str, since: datetime) -> Json:
    return {"kind": kind, "message": message, "since": present_time(since)}


# --- Telling --------------------------------------------------------------------------------------


def _tell(contest: Contest, alarms: list[Json], *, tells_new: bool) -> int:
    known = JudgeAlarms.objects.filter(contest=contest).first()
    # One that turns into another is not taken back: "all is well" would be wrong.
    if not tells_new and (known is None or not _kinds(alarms) <= _kinds(known.alarms)):
        return 0
    if known is None:
        if not alarms:
            return 0
        never = {"changed_at": Now() - timedelta(minutes=1)}
        known, _ = JudgeAlarms.objects.get_or_create(contest=contest, defaults=never)
    if _says(known.alarms) == _says(alarms):
        return 0
    begun = {each["kind"]: each["since"] for each in known.alarms}
    alarms = [each | {"since": begun.get(each["kind"], each["since"])} for each in alarms]
    is_due = Q(changed_at__lte=Now() - timedelta(seconds=1)) | Q(changed_at__gt=Now() + SET_BACK)
    row = JudgeAlarms.objects.filter(is_due, contest=contest, version=known.version)
    with transaction.atomic():
        if not row.update(version=F("version") + 1, alarms=alarms, changed_at=Now()):
            return 0
        publish(JudgingAlarmed(JudgeAlarms(contest=contest, version=known.version + 1, alarms=alarms)))
    return 1


def _kinds(alarms: Sequence[Json]) -> set[str]:
    return {each["kind"] for each in alarms}


def _says(alarms: Sequence[Json]) -> list[tuple[str, str]]:
    return [(each["kind"], each["message"]) for each in alarms]
