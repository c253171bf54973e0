"""Who may ask for an event stream and send what goes up beside it, how much, and what comes of all else."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.utils import timezone

from contest.models import Clarification, Contest, User
from realtime.fallback import commands as requests
from realtime.models import TimerAccount
from realtime.node.node import Node
from realtime.tests.clients import Sessions
from realtime.tests.clocks import FakeClock
from realtime.tests.event_streams import TOKEN, Document, ask, enter, request, scope_of
from realtime.wire.admission import AttemptLimit


@pytest.mark.parametrize("headers", [{"x_csrftoken": "w" * 32}, {"origin": "http://evil.example"}])
async def test_a_request_without_the_token_or_from_a_foreign_page_does_nothing(
    live: Node, sessions: Sessions, contest: Contest, alice: User, headers: dict[str, str]
) -> None:
    page = Document("cup", ["announcements"], await sessions.key_of(alice))
    status, _ = await page.post_raw({"client": page.client, "frames": [ask(1)]}, **headers)
    assert status == 403
    assert await Clarification.objects.acount() == 0


@pytest.mark.parametrize("given", [[], {}, {"client": "a b", "frames": []}, {"client": "a", "frames": [{}]}])
async def test_a_body_of_another_form_is_refused(
    live: Node, sessions: Sessions, contest: Contest, alice: User, given: Any
) -> None:
    page = Document("cup", ["announcements"], await sessions.key_of(alice))
    assert (await page.post_raw(given))[0] == 400


async def test_a_frame_of_another_form_ends_its_stream(
    live: Node, sessions: Sessions, contest: Contest, alice: User
) -> None:
    page = Document("cup", ["announcements"], await sessions.key_of(alice))
    answers = await page.post([{"stream": "announcements", "type": "command"}, ask(2)])
    assert [each["type"] for each in answers] == ["end", "close"]
    assert answers[1]["code"] == 4006
    assert await Clarification.objects.acount() == 0


@pytest.mark.parametrize(
    ("query", "headers", "status"),
    [
        ("streams=timer", {"origin": "http://evil.example"}, 403),
        ("streams=timer", {"sec_fetch_site": "cross-site"}, 403),
        ("", {}, 400),
        ("streams=timer&cursor=[]", {}, 400),
        ("streams=timer&cursor={", {}, 400),
        ('streams=ti"mer', {}, 400),
    ],
)
async def test_an_address_that_is_none_of_ours_opens_nothing(
    live: Node, query: str, headers: dict[str, str], status: int
) -> None:
    answered, _ = await request(scope_of("GET", "/rt/cup/events", query, **headers))
    assert answered == status
    assert not live.consumers


async def test_more_requests_than_any_page_makes_are_refused(
    live: Node, sessions: Sessions, contest: Contest, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requests, "_requests", AttemptLimit(1))
    page = Document("cup", ["announcements"], await sessions.key_of(alice))
    statuses = [(await page.post_raw({"client": page.client, "frames": []}))[0] for _ in range(12)]
    assert statuses[0] == 200
    assert statuses[-1] == 429


async def test_strangers_and_floods_are_not_read_to_their_end(
    live: Node, sessions: Sessions, contest: Contest, alice: User
) -> None:
    padding = {"client": "c", "frames": [], "padding": "x" * 100_000}
    assert (await Document("cup", ["timer"]).post_raw(padding))[0] == 413
    page = Document("cup", ["timer"], await sessions.key_of(alice))
    assert (await page.post_raw(padding))[0] == 200
    large = padding | {"padding": "x" * 1_900_000}
    statuses = [(await page.post_raw(large))[0] for _ in range(8)]
    assert statuses[0] == 200
    assert statuses[-1] == 429


async def test_strangers_at_one_address_are_counted_together(live: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "_requests", AttemptLimit(1))
    monkeypatch.setattr(requests, "limited_address", lambda scope: "192.0.2.7")
    strangers = [Document("cup", ["announcements"]) for _ in range(12)]
    statuses = [(await each.post_raw({"client": each.client, "frames": []}))[0] for each in strangers]
    assert (statuses[0], statuses[-1]) == (200, 429)


@pytest.mark.parametrize("headers", [{"origin": "null"}, {"cookie": ""}, {"x_csrftoken": ""}])
async def test_a_form_of_another_site_cannot_send_anything_in_somebodys_name(
    live: Node, sessions: Sessions, contest: Contest, alice: User, headers: dict[str, str]
) -> None:
    cookies = f"{settings.SESSION_COOKIE_NAME}={await sessions.key_of(alice)}"
    given = {"cookie": cookies, **headers}  # a form of another site has no token of this one
    page = Document("cup", ["announcements"], await sessions.key_of(alice))
    body = {"client": page.client, "frames": [ask(1)], "csrfmiddlewaretoken": TOKEN}
    status, _ = await page.post_raw(body, content_type="text/plain", **given)
    assert status == 403
    assert await Clarification.objects.acount() == 0


@pytest.mark.parametrize(("method", "path"), [("GET", "commands"), ("PUT", "commands"), ("POST", "events")])
async def test_each_address_has_its_one_method(live: Node, method: str, path: str) -> None:
    assert (await request(scope_of(method, f"/rt/cup/{path}")))[0] == 405


async def test_the_id_of_somebodys_document_opens_nothing_of_theirs_to_others(
    live: Node, sessions: Sessions, contest: Contest, alice: User, bob: User, clock: FakeClock
) -> None:
    hers = await enter(sessions, alice, "announcements", "timer")
    timer = hers.substreams["timer"]
    assert (await timer.command(1, "report", {"foreground": True, "foreground_ms": 0}))["ok"]
    (asked,) = await hers.post([ask(7)])
    assert asked["ok"]
    clock.forward(10_000)

    his = Document("cup", ["announcements", "timer"], await sessions.key_of(bob), client=hers.client)
    report = {"stream": "timer", "type": "command", "client_seq": 2, "name": "report", "fence": timer.fence}
    answers = await his.post([report | {"data": {"foreground": True, "foreground_ms": 10_000}}, ask(7)])
    assert [each["type"] for each in answers] == ["close", "reply"], "neither her time nor her answer"
    assert answers[0]["code"] == 4103
    assert answers[1]["ok"] is False
    assert asked["data"] not in [each.get("data") for each in answers]
    assert await Clarification.objects.filter(asker=bob).acount() == 0
    assert (await TimerAccount.objects.aget(participation__user=alice)).accumulated_ms == 0, "he has reported for her"
    assert timer.arrived.empty(), "her stream has heard of it"


async def test_an_expired_session_is_told_so_in_frames_and_does_nothing(
    live: Node, sessions: Sessions, contest: Contest, alice: User
) -> None:
    key = await sessions.key_of(alice)
    await Session.objects.filter(session_key=key).aupdate(expire_date=timezone.now())
    page = Document("cup", ["announcements"], key)
    answers = await page.post([ask(1)])
    assert [(each["type"], each["code"]) for each in answers] == [("end", "signed-out"), ("close", 4002)]
    assert await Clarification.objects.acount() == 0


@pytest.mark.parametrize("count", [64, 65])
async def test_no_more_frames_come_in_a_request_than_a_page_sends(
    live: Node, sessions: Sessions, contest: Contest, alice: User, count: int
) -> None:
    page = Document("cup", ["announcements"], await sessions.key_of(alice))
    pings = [{"stream": "announcements", "type": "ping"}] * count
    assert (await page.post_raw({"client": "c", "frames": pings}))[0] == (200 if count <= 64 else 400)


async def test_bodies_that_are_hard_to_read_are_refused(
    live: Node, sessions: Sessions, contest: Contest, alice: User
) -> None:
    page = Document("cup", ["announcements"], await sessions.key_of(alice))
    for body in (b"[" * 100_000, b'{"client":"c","frames":[}', b"\xff\xfe", b""):
        assert (await page.post_body(body))[0] == 400


async def test_too_large_a_frame_ends_its_stream_and_no_other(
    live: Node, sessions: Sessions, contest: Contest, alice: User
) -> None:
    page = await enter(sessions, alice, "announcements", "selftest")
    large = ask(1) | {"data": {"problem": None, "text": "x" * 70_000}}
    answers = await page.post([large, {"stream": "selftest", "type": "ping"}])
    assert [(each["stream"], each["type"]) for each in answers] == [
        ("announcements", "end"),
        ("announcements", "close"),
    ]
    assert answers[1]["code"] == 4009
    assert await page.substreams["selftest"].receive() == "pong"


async def test_a_flood_of_words_ends_the_event_stream_as_it_ends_a_socket(
    live: Node, sessions: Sessions, contest: Contest, alice: User
) -> None:
    page = await enter(sessions, alice, "announcements")
    substream = page.substreams["announcements"]

    async def flood() -> None:
        while not page.has_ended:
            await page.post([{"stream": "announcements", "type": "pong"}] * 64)
            await asyncio.sleep(0.05)

    flooding = asyncio.create_task(flood())
    code = await substream.until_closed()
    flooding.cancel()
    assert code == 4129
    assert substream.received[-1]["type"] == "retry"


async def test_a_host_that_is_none_of_ours_is_refused_without_a_traceback(
    live: Node, caplog: pytest.LogCaptureFixture
) -> None:
    body = b'{"client":"c","frames":[]}'
    scope = Document("cup", ["timer"]).scope_of_request() | {"scheme": "https"}
    scope["headers"] = [(name, value) for name, value in scope["headers"] if name not in (b"host", b"origin")]
    evil = [(b"host", b"evil.example"), (b"referer", b"https://evil.example/")]
    status, _ = await request(scope | {"headers": [*scope["headers"], *evil]}, body)
    assert status == 403
    assert not [each for each in caplog.records if each.exc_info]
