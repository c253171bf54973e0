"""Before the start nothing about problems is in any frame, whatever the jury prepares and whoever asks."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from channels.db import database_sync_to_async
from django.utils import timezone

from contest.models import Contest, PackageTest, Participation, Problem, User
from contest.services.blobs import store_bytes
from contest.services.notices import post_notice
from contest.services.records import submit
from contest.services.settings import set_visibility
from realtime.node.node import Node
from realtime.tests.clients import Client, Sessions

SECRET_LABEL, SECRET_TITLE = "Q7", "Secret-of-the-start"
STREAMS = ("announcements", "records", "selftest", "timer")


@pytest.fixture
def coming(contest: Contest, alice: User) -> Contest:
    """Starts in an hour; its problems are ready, and the jury has a submission judged."""
    now = timezone.now()
    Contest.objects.update(starts_at=now + timedelta(hours=1), ends_at=now + timedelta(hours=2))
    Problem.objects.update(label=SECRET_LABEL, title=SECRET_TITLE)
    blob = store_bytes(SECRET_TITLE.encode())
    PackageTest.objects.update(input_id=blob, answer_id=blob)
    return Contest.objects.get()


def prepare(contest: Contest, grace: User) -> int:
    """What a jury does before the start; the number of its record."""
    problem = Problem.objects.get()
    record = submit(problem, grace, language="cpp", source=f"// {SECRET_TITLE}")
    post_notice(contest, grace, title="Welcome", body="Read the rules.")
    set_visibility(contest, grace, "private")
    problem.save()
    return record.pk


def tell_about(frames: list[Any]) -> list[str]:
    texts = [json.dumps(frame) for frame in frames]
    return [text for text in texts if SECRET_LABEL in text or SECRET_TITLE in text]


async def test_nothing_about_problems_is_in_any_frame_or_snapshot(
    live: Node, sessions: Sessions, coming: Contest, alice: User, bob: User, grace: User
) -> None:
    key, jury_key = await sessions.key_of(alice), await sessions.key_of(grace)
    before = [await Client(f"/ws/contests/cup/{each}", key).live() for each in STREAMS]
    jury = await Client("/ws/contests/cup/records", jury_key).live()
    record = await database_sync_to_async(prepare)(coming, grace)
    await jury.until("event", "record.updated")
    assert tell_about(jury.received), "the premise: the jury is told"
    await before[0].until("event", "announcement.posted")

    after = [await Client(f"/ws/contests/cup/{each}", key, client="later").live() for each in STREAMS]
    foreign = Client(f"/ws/records/{record}", key)
    await foreign.connect()
    await foreign.send({"type": "hello", "protocol": 1, "client": "document-1"})
    assert await foreign.until_closed() == 4004

    announcements, records, selftest, timer = after
    known = await announcements.command(1, "ask", {"problem": SECRET_LABEL, "text": "Is there such a problem?"})
    unknown = await announcements.command(2, "ask", {"problem": "Z9", "text": "Is there such a problem?"})
    assert known["ok"] is unknown["ok"] is False
    said = [each["error"]["message"].replace(label, "?") for each, label in ((known, SECRET_LABEL), (unknown, "Z9"))]
    assert said[0] == said[1], "labels cannot be found by asking"
    assert (await announcements.command(3, "ask", {"problem": None, "text": "When?"}))["ok"]
    assert not (await records.command(1, "watch", {"ids": [record]}))["ok"]
    await selftest.command(1, "run", {"language": "python", "source": "print(1)", "stdin": ""})
    assert (await timer.command(1, "report", {"foreground": True, "foreground_ms": 0}))["ok"]
    for client in (*before, *after, foreign):
        assert client.received
        assert not tell_about([frame for frame in client.received if frame.get("type") != "reply" or frame["ok"]])
        assert SECRET_TITLE not in json.dumps(client.received)
    assert await Participation.objects.filter(contest=coming, user=bob).aexists()
