"""The other process: writes to the site's database as the judge or another node does, told by JSON lines.

Each line is [function, arguments]; the answer is one JSON line.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

from realtime.tests.wire import acts, judged
from tools.site_process import BASE_DIR

BEAT_MS = 500
"""Of the nodes in these tests: a dead one is known to be dead after four of them."""
SLUG = "wire"


class Stage:
    """The test's end of it."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "realtime.tests.wire.stage"],
            cwd=BASE_DIR,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __call__(self, name: str, *arguments: Any) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([name, arguments]) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, f"the stage ended in {name}"
        return json.loads(line)

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(10)


def people() -> dict[str, str]:
    """A running contest with its people, made once; user name → a new session's cookie."""
    from datetime import timedelta

    from django.utils import timezone

    from contest.models import Contest, JuryMembership, Participation, User
    from contest.services.sessions import open_sessions

    now = timezone.now()
    times = {"starts_at": now - timedelta(hours=1), "ends_at": now + timedelta(hours=4)}
    contest, _ = Contest.objects.get_or_create(slug=SLUG, defaults={"title": "Wire", **times})
    users = [User.objects.get_or_create(username=name)[0] for name in ("alice", "bob", "mallory", "grace")]
    for user in users[:2]:
        Participation.objects.get_or_create(contest=contest, user=user, defaults={"registered_at": now})
    JuryMembership.objects.get_or_create(contest=contest, user=users[3])
    return dict(zip([user.username for user in users], open_sessions(users), strict=True))


def post(title: str) -> int:
    """A notice of the jury; its id."""
    from contest.models import Contest, User
    from contest.services.notices import post_notice

    contest, grace = Contest.objects.get(slug=SLUG), User.objects.get(username="grace")
    return post_notice(contest, grace, title=title, body="Read this.").pk


def submit(username: str) -> int:
    """A submission with one judged case and its final state; the record's id."""
    from django.db import transaction
    from django.utils import timezone

    from contest.events import RecordFinished, RecordProgressed, RecordSubmitted, publish
    from contest.models import Contest, Package, Participation, Problem, Record, RecordCase, User

    now, contest = timezone.now(), Contest.objects.get(slug=SLUG)
    problem, _ = Problem.objects.get_or_create(contest=contest, label="A", defaults={"title": "Sum"})
    made = {"sha256": "0" * 64, "imported_at": now, "time_limit_ms": 1000, "memory_limit_kb": 1000}
    package, _ = Package.objects.get_or_create(problem=problem, version=1, defaults=made)
    user = User.objects.get(username=username)
    participation = Participation.objects.get(contest=contest, user=user)
    who = {"contest": contest, "problem": problem, "package": package, "user": user, "participation": participation}
    with transaction.atomic():
        record = Record.objects.create(
            **who, language="cpp", source="x", source_sha256="0" * 64, queued_at=now, submitted_at=now, cases_total=1
        )
        publish(RecordSubmitted(record))
    with transaction.atomic():
        record.status, record.cases_done, record.version = "running", 1, 2
        record.save()
        case = RecordCase.objects.create(record=record, attempt=0, index=1, verdict="AC", time_ms=1, memory_kb=1)
        publish(RecordProgressed(record, (case,)))
    with transaction.atomic():
        record.status, record.verdict, record.judged_at, record.version = "final", "AC", timezone.now(), 3
        record.save()
        publish(RecordFinished(record))
    return record.pk


def burst(transactions: int, events: int, size_bytes: int) -> int:
    """Many large events for everybody, each with the time (of this machine) at which it was told; the last number."""
    from django.db import transaction

    from contest.models import Contest
    from realtime.log.append import append
    from realtime.log.reading import read_heads
    from realtime.log.topics import of_contest

    key = of_contest(Contest.objects.get(slug=SLUG).pk)
    for _ in range(transactions):
        with transaction.atomic():
            for _ in range(events):
                append(key, "told", {"at": time.time(), "text": "x" * size_bytes})
    return read_heads([key])[key].seq


def drop_hints() -> None:
    """From now on this process gives no hint to anybody."""
    from realtime.log import hints

    hints.send_to_others(None)


def confirmed(notice_id: int) -> int:
    from contest.models import NoticeReceipt

    return NoticeReceipt.objects.filter(notice_id=notice_id, confirmed_at__isnull=False).count()


FUNCTIONS: dict[str, Callable[..., Any]] = (
    {function.__name__: function for function in (people, post, submit, burst, drop_hints, confirmed)}
    | acts.FUNCTIONS
    | judged.FUNCTIONS
)


def main() -> None:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    for line in sys.stdin:
        name, arguments = json.loads(line)
        sys.stdout.write(json.dumps(FUNCTIONS[name](*arguments)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
