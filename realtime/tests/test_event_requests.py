"""Requests that something happens to: the event stream is cut, the sender goes, the database is away."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any, NoReturn

import pytest
from django.db import OperationalError

from contest.models import Clarification, Contest, User
from realtime.consumers.announcements import Announcements
from realtime.consumers.commands import Arrived, Data, Handler
from realtime.node.node import Node
from realtime.tests.clients import Sessions
from realtime.tests.event_streams import Document, application, ask, communicate, enter


class Held:
    """`ask` waits in mid-command until it is let go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.began, self.go_on = asyncio.Event(), asyncio.Event()
        self._real = Announcements.commands["ask"]
        monkeypatch.setitem(Announcements.commands, "ask", Handler(self._real.read, self._run))

    async def _run(self, consumer: Any, arrived: Arrived) -> Data:
        self.began.set()
        await self.go_on.wait()
        return await self._real.run(consumer, arrived)


async def test_a_command_under_way_is_done_and_answered_though_the_event_stream_is_cut(
    live: Node, sessions: Sessions, contest: Contest, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = await enter(sessions, alice, "announcements")
    held = Held(monkeypatch)
    sent = asyncio.create_task(page.post([ask(3)]))
    await held.began.wait()
    await page.leave()
    assert not live.consumers, "the stream is still there"
    held.go_on.set()
    (reply,) = await sent
    assert reply["ok"]
    assert await Clarification.objects.acount() == 1


async def test_a_request_whose_sender_is_gone_is_done_once_and_answered_to_whoever_repeats_it(
    live: Node, sessions: Sessions, contest: Contest, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = await enter(sessions, alice, "announcements")
    held = Held(monkeypatch)
    scope = page.scope_of_request()
    gone = communicate(application, scope)
    body = json.dumps({"client": page.client, "frames": [ask(3)]}).encode()
    await gone.send_input({"type": "http.request", "body": body, "more_body": False})
    await held.began.wait()
    await gone.send_input({"type": "http.disconnect"})
    held.go_on.set()
    await gone.wait(timeout=5)
    (reply,) = await page.post([ask(3)])
    assert reply["ok"]
    assert await Clarification.objects.acount() == 1


async def test_a_request_that_is_cut_before_its_end_does_nothing(
    live: Node, sessions: Sessions, contest: Contest, alice: User
) -> None:
    page = Document("cup", ["announcements"], await sessions.key_of(alice))
    cut = communicate(application, page.scope_of_request())
    body = json.dumps({"client": page.client, "frames": [ask(3)]}).encode()
    await cut.send_input({"type": "http.request", "body": body, "more_body": True})
    await cut.send_input({"type": "http.disconnect"})
    await cut.wait(timeout=5)
    assert await Clarification.objects.acount() == 0


@pytest.mark.parametrize("door", ["visitors", "admissions"])
async def test_while_the_database_is_away_commands_are_answered_busy_and_the_event_stream_stays(
    live: Node, sessions: Sessions, contest: Contest, alice: User, monkeypatch: pytest.MonkeyPatch, door: str
) -> None:
    page = await enter(sessions, alice, "announcements")

    def away(items: Sequence[Any]) -> NoReturn:
        raise OperationalError("the server closed the connection")

    with monkeypatch.context() as fault:
        fault.setattr(getattr(live, door), "_work", away)
        (reply,) = await page.post([ask(1)])
        assert (reply["client_seq"], reply["error"]["code"]) == (1, "busy")
        assert reply["error"]["retry_after_ms"] > 0
    assert await Clarification.objects.acount() == 0
    (reply,) = await page.post([ask(1)])
    assert reply["ok"]
    assert page.substreams["announcements"].arrived.empty()
    assert not page.has_ended
