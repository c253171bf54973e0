"""Rights that change while connections are open."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from channels.db import database_sync_to_async
from django.contrib.sessions.models import Session
from django.test import Client as Browser

from contest.access import EXCLUDED
from contest.models import Clarification, Contest, JuryMembership, User
from contest.services import registration, schedule
from contest.services.notices import post_notice
from realtime.entry.attach import attach_all
from realtime.hub import hub
from realtime.log.topics import RIGHTS
from realtime.node.node import Node
from realtime.tests.clients import PATIENCE_S, Client, Sessions, eventually, hello

PATH = "/ws/contests/cup/announcements"

ban = database_sync_to_async(registration.ban)
remove = database_sync_to_async(registration.remove)
post = database_sync_to_async(post_notice)


async def enter(sessions: Sessions, user: User, stream: str = "announcements") -> Client:
    return await Client(f"/ws/contests/cup/{stream}", await sessions.key_of(user)).live()


async def test_a_ban_closes_all_streams_of_that_person_and_no_others(
    live: Node, sessions: Sessions, contest: Contest, alice: User, bob: User, grace: User
) -> None:
    hers = [await enter(sessions, alice, stream) for stream in ("announcements", "records", "timer")]
    his = await enter(sessions, bob)
    await ban(contest, alice, grace)
    for client in hers:
        assert await client.until_closed() == 4003
        assert client.received[-1]["code"] == "forbidden"
        assert client.received[-1]["message"] == EXCLUDED
    await post(contest, grace, title="After the ban", body="x")
    await his.until("event", "announcement.posted")
    assert not any(client.events() for client in hers)


async def test_what_takes_rights_away_is_worked_off_before_what_it_must_not_see(
    live: Node, sessions: Sessions, contest: Contest, alice: User, grace: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both come with one read of the log."""
    hers = await enter(sessions, alice)
    await hers.is_quiet(0.2)
    monkeypatch.setattr(hub, "MERGE_S", 1.0)
    await ban(contest, alice, grace)
    await post(contest, grace, title="After the ban", body="x")
    assert await hers.until_closed() == 4003
    assert not hers.events()


async def test_a_ban_while_its_connection_is_being_attached_is_not_lost(
    live: Node, sessions: Sessions, contest: Contest, alice: User, grace: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Her rights are read before the ban; it is told while the answer is on its way."""
    was_read, go = threading.Event(), threading.Event()

    def held(requests: Any) -> Any:
        answers = attach_all(requests)
        was_read.set()
        assert go.wait(10)
        return answers

    await eventually(lambda: RIGHTS in live.hub.feeds)
    monkeypatch.setattr(live._attaching, "_work", held)
    hers = Client(PATH, await sessions.key_of(alice))
    await hers.connect()
    await hers.send(hello())
    assert await asyncio.to_thread(was_read.wait, PATIENCE_S)
    before = live.hub.feeds[RIGHTS].level
    try:
        await ban(contest, alice, grace)
        await eventually(lambda: live.hub.feeds[RIGHTS].level > before)
    finally:
        go.set()
    assert await hers.until_closed() == 4003
    assert hers.received[0]["type"] == "welcome", "the premise: she was let in by what was read before"


async def test_a_removed_registration_closes(
    live: Node, sessions: Sessions, contest: Contest, alice: User, grace: User
) -> None:
    client = await enter(sessions, alice)
    await remove(contest, alice, grace)
    assert await client.until_closed() == 4003


async def test_signing_out_closes_that_sessions_streams_only(
    live: Node, sessions: Sessions, contest: Contest, alice: User
) -> None:
    here = await enter(sessions, alice)
    elsewhere = await Client(PATH, await Sessions().key_of(alice), client="document-2").live()
    key = await sessions.key_of(alice)

    def sign_out() -> None:
        Session.objects.get(session_key=key).delete()

    await database_sync_to_async(sign_out)()
    assert await here.until_closed() == 4002
    assert here.received[-1]["code"] == "signed-out"
    assert await elsewhere.is_quiet()


async def test_alices_page_that_comes_back_with_bobs_cookie_gets_nothing_of_his_and_sends_nothing_as_him(
    live: Node, sessions: Sessions, contest: Contest, alice: User, bob: User
) -> None:
    hers = Client(PATH, await sessions.key_of(bob))
    await hers.connect()
    await hers.send(hello(user=alice.pk))
    await hers.send({"type": "command", "client_seq": 1, "name": "ask", "data": {"problem": None, "text": "May I?"}})
    assert await hers.until_closed() == 4002
    assert [frame["type"] for frame in hers.received] == ["end"]
    assert hers.received[0]["code"] == "signed-out"
    assert not await Clarification.objects.aexists()
    his = await Client(PATH, await sessions.key_of(bob)).live(user=bob.pk)
    assert await his.is_quiet()


async def test_djangos_own_sign_out_closes_too(live: Node, sessions: Sessions, contest: Contest, alice: User) -> None:
    from django.contrib.auth import logout
    from django.contrib.sessions.backends.db import SessionStore
    from django.http import HttpRequest

    client = await enter(sessions, alice)
    key = await sessions.key_of(alice)

    def sign_out() -> None:
        request = HttpRequest()
        request.session = SessionStore(key)
        request.user = alice
        logout(request)

    await database_sync_to_async(sign_out)()
    assert await client.until_closed() == 4002


async def test_a_changed_password_closes(live: Node, sessions: Sessions, contest: Contest, alice: User) -> None:
    client = await enter(sessions, alice)

    def change() -> None:
        alice.set_password("another-one")
        alice.save()

    await database_sync_to_async(change)()
    assert await client.until_closed() == 4002


async def test_a_deactivated_account_closes(live: Node, sessions: Sessions, contest: Contest, alice: User) -> None:
    client = await enter(sessions, alice)

    def deactivate() -> None:
        alice.is_active = False
        alice.save(update_fields=["is_active"])

    await database_sync_to_async(deactivate)()
    assert await client.until_closed() == 4002


async def test_a_new_juror_is_given_the_jurys_topic_on_the_open_connection(
    live: Node, sessions: Sessions, contest: Contest, alice: User
) -> None:
    client = await enter(sessions, alice)
    assert set(client.cursor) == {"contest", "me"}
    await JuryMembership.objects.acreate(contest=contest, user=alice)
    snapshot = await client.until("snapshot")
    assert set(snapshot["cursor"]) == {"contest", "me", "jury"}


async def test_what_changes_nothing_closes_nobody(
    live: Node, sessions: Sessions, contest: Contest, alice: User, grace: User
) -> None:
    client = await enter(sessions, alice)
    await database_sync_to_async(alice.save)()
    await post(contest, grace, title="Still here", body="x")
    await client.until("event", "announcement.posted")


async def test_a_closed_contest_ends_its_streams(
    live: Node, sessions: Sessions, contest: Contest, alice: User, grace: User
) -> None:
    client = await enter(sessions, alice)

    def close() -> None:
        from datetime import timedelta

        from django.utils import timezone

        Contest.objects.update(starts_at=timezone.now() - timedelta(days=2), ends_at=timezone.now() - timedelta(days=1))
        schedule.archive(Contest.objects.get(), grace)

    await database_sync_to_async(close)()
    assert await client.until_closed() == 4001
    assert client.received[-1]["code"] == "archived"


async def test_a_session_that_runs_out_by_time_closes(
    live: Node, sessions: Sessions, contest: Contest, alice: User
) -> None:
    from django.utils import timezone

    client = await enter(sessions, alice)
    now = timezone.now()
    await Session.objects.aupdate(expire_date=now)
    (consumer,) = live.consumers.values()
    assert consumer.visitor is not None
    object.__setattr__(consumer.visitor, "expires_at", now)
    live.people.recheck([each for each in live.consumers.values() if each.has_expired()], suspend=True)
    assert await client.until_closed() == 4002


def test_the_browser_of_djangos_tests_signs_in(db: None, alice: User) -> None:
    """The premise of the tests above: a session made by signing in is one that the streams accept."""
    from realtime.entry.sessions import read_visitors

    browser = Browser()
    browser.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
    (visitor,) = read_visitors([browser.cookies["sessionid"].value])
    assert visitor is not None
    assert visitor.user_id == alice.pk
