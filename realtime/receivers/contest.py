"""From what happened in a contest to the topics of those who may know it, inside the same transaction.

What only one contestant may see goes to that contestant's topic, never to a shared one to be
filtered. A record's owner is told as much as the contest's feedback rule lets them see.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from django.db import transaction

from contest import events
from contest.models import Contest, Notice, NoticeVersion
from contest.presenters import (
    Json,
    present_alarms,
    present_asked_clarification,
    present_chunk,
    present_clarification,
    present_contest,
    present_notice,
    present_participation,
    present_run,
    present_withdrawal,
)
from realtime.log import topics
from realtime.log.append import append
from realtime.log.retention import forget_runs_before_last
from realtime.models import LogEvent
from realtime.receivers import records as record_receivers


def receive(event: events.Event) -> None:
    """The one subscriber of `contest.events`."""
    handler = _handlers.get(type(event)) or record_receivers.handlers.get(type(event))
    if handler is not None:
        handler(event)


def _notice_topics(version: NoticeVersion) -> Iterable[str]:
    notice = version.notice
    if notice.audience == Notice.Audience.ALL:
        return [topics.of_contest(notice.contest_id), *_told_again(version)]
    users = notice.recipients.order_by("user_id").values_list("user_id", flat=True)
    return [topics.of_contestant(notice.contest_id, user_id) for user_id in users]


def _told_again(version: NoticeVersion) -> Iterable[str]:
    """Topics of those to whom a notice for all was posted again: what they were told there gives way there."""
    notice = version.notice
    if not notice.repostings.exists():
        return []
    own = f"{topics.of_contest(notice.contest_id)}.u"
    told = LogEvent.objects.filter(topic__key__startswith=own, object_key=_notice_key(version))
    return told.order_by("topic__key").values_list("topic__key", flat=True).distinct()


def _tell_notice(name: str, version: NoticeVersion, data: Json) -> None:
    """A text that has been changed or withdrawn since is not read out to whoever was away: who did not see the old
    one sees the new one alone."""
    for topic in _notice_topics(version):
        append(topic, name, data, object_key=_notice_key(version), is_kept=name == "announcement.withdrawn")


def _notice_key(version: NoticeVersion) -> str:
    return f"notice{version.notice_id}"


def _posted(event: events.NoticePosted) -> None:
    _tell_notice("announcement.posted", event.version, present_notice(event.version))


def _edited(event: events.NoticeEdited) -> None:
    _tell_notice("announcement.edited", event.version, present_notice(event.version))


def _withdrawn(event: events.NoticeWithdrawn) -> None:
    _tell_notice("announcement.withdrawn", event.version, present_withdrawal(event.version))


def _posted_again(event: events.NoticePostedAgain) -> None:
    """The same event once more, for those alone who have not seen it; a page that shows it already says it again."""
    contest_id, data = event.version.notice.contest_id, present_notice(event.version) | {"again": event.count}
    for user_id in event.user_ids:
        topic, key = topics.of_contestant(contest_id, user_id), _notice_key(event.version)
        append(topic, "announcement.posted", data, object_key=key, is_kept=False)


def _confirmed(event: events.NoticesConfirmed) -> None:
    """So that other pages of the same person close their dialog."""
    pairs = [{"id": notice_id, "version": version} for notice_id, version in event.notices]
    append(topics.of_contestant(event.contest_id, event.user_id), "announcement.confirmed", {"notices": pairs})


def _asked(event: events.ClarificationAsked) -> None:
    data = present_asked_clarification(event.clarification)
    append(topics.of_jury(event.clarification.contest_id), "clarification.asked", data)


def _answered(event: events.ClarificationAnswered) -> None:
    clarification = event.clarification
    contest_id, data = clarification.contest_id, present_clarification(clarification)
    if clarification.is_public:
        append(topics.of_contest(contest_id), "clarification.answered", data)
        return
    append(topics.of_contestant(contest_id, clarification.asker_id), "clarification.answered", data)
    append(topics.of_jury(contest_id), "clarification.answered", present_asked_clarification(clarification))


def _contest_changed(event: events.ContestChanged) -> None:
    append(topics.of_contest(event.contest.pk), "contest.changed", present_contest(event.contest))


def _extra_time_changed(event: events.ExtraTimeChanged) -> None:
    """A contestant's own end is nobody else's business."""
    row = event.participation
    topic = topics.of_contestant(row.contest_id, row.user_id)
    append(topic, "participation.changed", present_participation(row))


def _alarmed(event: events.JudgingAlarmed) -> None:
    data = present_alarms(event.state)
    append(topics.of_jury(event.state.contest_id), "judge.alarm", data, object_key="judge.alarm", is_kept=False)


def tell_standings(contest: Contest, version: int) -> None:
    """Only that there is a newer version; pages fetch the shared rendering. Thinned by `realtime.node.scheduler`.

    While frozen, too: that there were further attempts is on the frozen board, their outcome is not.
    """
    topic = topics.of_contest(contest.pk)
    append(topic, "standings.changed", {"version": version}, object_key="standings", is_kept=False)


# --- Self-tests -----------------------------------------------------------------------------------


def _runs_topic(event: events.RunQueued | events.RunCompiling | events.RunOutput | events.RunFinished) -> str:
    return topics.of_own_runs(event.run.contest_id, event.run.user_id)


def _run_queued(event: events.RunQueued) -> None:
    run, topic = event.run, _runs_topic(event)
    data = {"run": run.pk, "attempt": run.attempt, "position": event.position, "language": run.language}
    append(topic, "run.queued", data, object_key=f"position{run.pk}", is_kept=False)
    if not event.is_repeat:
        transaction.on_commit(partial(forget_runs_before_last, topic), robust=True)


def _run_compiling(event: events.RunCompiling) -> None:
    append(_runs_topic(event), "run.compiling", {"run": event.run.pk, "attempt": event.run.attempt})


def _run_output(event: events.RunOutput) -> None:
    """Each chunk; what the program has used goes with the last one, or, where it is silent, with an empty one."""
    used = {} if event.meters is None else {"time_ms": event.meters.time_ms, "memory_kb": event.meters.memory_kb}
    for chunk in event.chunks:
        append(_runs_topic(event), "run.output", present_chunk(chunk) | (used if chunk is event.chunks[-1] else {}))
    if event.meters is not None and not event.chunks:
        run, offset = event.run, event.meters.stdout_bytes
        silence = {"run": run.pk, "attempt": run.attempt, "stream": "stdout", "offset": offset, "text": ""}
        append(_runs_topic(event), "run.output", silence | used, object_key=f"meters{run.pk}", is_kept=False)


def _run_finished(event: events.RunFinished) -> None:
    append(_runs_topic(event), "run.finished", present_run(event.run))


_handlers: dict[type, Callable[[Any], None]] = {
    events.NoticePosted: _posted,
    events.NoticeEdited: _edited,
    events.NoticeWithdrawn: _withdrawn,
    events.NoticePostedAgain: _posted_again,
    events.NoticesConfirmed: _confirmed,
    events.ClarificationAsked: _asked,
    events.ClarificationAnswered: _answered,
    events.ContestChanged: _contest_changed,
    events.JudgingAlarmed: _alarmed,
    events.ExtraTimeChanged: _extra_time_changed,
    events.RunQueued: _run_queued,
    events.RunCompiling: _run_compiling,
    events.RunOutput: _run_output,
    events.RunFinished: _run_finished,
}
