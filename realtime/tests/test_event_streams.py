"""The second way in: the same streams over one HTTP response, and what goes up by requests."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from channels.db import database_sync_to_async

from contest.models import Clarification, Contest, User
from contest.models.notices import NoticeReceipt
from contest.services import registration
from contest.services.notices import post_notice
from realtime import metrics
from realtime.fallback import bodies, carrier, events
from realtime.models import TimerAccount
from realtime.node.node import Node
from realtime.tests import golden
from realtime.tests.clients import Client, Sessions, eventually
from realtime.tests.clocks import FakeClock
from realtime.tests.event_streams import Document, ask, enter
from realtime.tests.record_acts import judge_case, submit
from realtime.tests.telling import tell
from realtime.wire import credit
from realtime.wire.protocol import Hello, parse

ALL = ("announcements", "records", "selftest", "timer")

ban = database_sync_to_async(registration.ban)
post = database_sync_to_async(post_notice)


async def test_all_streams_of_a_page_come_in_one_response_as_they_come_over_sockets(
    live: Node, sessions: Sessions, contest: Contest, alice: User, grace: User
) -> None:
    page = await enter(sessions, alice, *ALL)
    socket = await Client("/ws/contests/cup/announcements", await sessions.key_of(alice)).live()
    await post(contest, grace, title="To all", body="x")
    over_http = await page.substreams["announcements"].until("event", "announcement.posted")
    assert over_http == await socket.until("event", "announcement.posted")
    assert page.comments >= 1, "proxies pass the headers on with the first bytes"


async def test_it_resumes_where_a_socket_was_left_and_a_socket_where_it_was_left(
    live: Node, sessions: Sessions, contest: Contest, alice: User, grace: User
) -> None:
    path, key = "/ws/contests/cup/announcements", await sessions.key_of(alice)
    socket = await Client(path, key).live()
    await socket.leave()
    await post(contest, grace, title="While away", body="x")
    page = await enter(sessions, alice, "announcements", cursor={"announcements": socket.cursor})
    substream = page.substreams["announcements"]
    assert substream.received[0]["resumed"] is True
    assert [each["data"]["title"] for each in substream.events()] == ["While away"]
    await page.leave()
    await post(contest, grace, title="Away again", body="x")
    back = await Client(path, key).live(cursor=substream.cursor)
    assert [each["data"]["title"] for each in back.events()] == ["Away again"]


async def test_a_command_is_done_once_whichever_way_it_comes(
    live: Node, sessions: Sessions, contest: Contest, alice: User
) -> None:
    page = await enter(sessions, alice, "announcements")
    (first,) = await page.post([ask(7)])
    assert first["ok"]
    (again,) = await page.post([ask(7)])
    socket = await Client("/ws/contests/cup/announcements", await sessions.key_of(alice), client=page.client).live()
    sent = ask(7)
    del sent["stream"]
    over_socket = await socket.command(7, "ask", sent["data"])
    assert first["data"] == again["data"] == over_socket["data"]
    assert await Clarification.objects.acount() == 1


async def test_commands_need_no_event_stream_on_the_node_that_takes_them(
    live: Node, sessions: Sessions, contest: Contest, alice: User, grace: User
) -> None:
    notice = await post(contest, grace, title="Read this", body="x", requires_ack=True)
    page = Document("cup", ["announcements"], await sessions.key_of(alice))
    data = {"notices": [{"id": notice.pk, "version": notice.version}]}
    frame = {"stream": "announcements", "type": "command", "client_seq": 1, "name": "ack", "data": data}
    assert not live.consumers, "somebody is connected here"
    (reply,) = await page.post([frame])
    assert reply["ok"]
    assert await NoticeReceipt.objects.filter(user=alice, confirmed_at__isnull=False).acount() == 1


async def test_reports_count_and_are_fenced_as_on_a_socket(
    live: Node, sessions: Sessions, contest: Contest, alice: User, clock: FakeClock
) -> None:
    def report(foreground_ms: int) -> dict[str, Any]:
        return {"foreground": True, "foreground_ms": foreground_ms}

    page = await enter(sessions, alice, "timer")
    substream = page.substreams["timer"]
    assert (await substream.command(1, "report", report(0)))["ok"]
    clock.forward(10_000)
    reply = await substream.command(2, "report", report(10_000))
    assert reply["data"]["accumulated_ms"] == 10_000
    newer = await Client("/ws/contests/cup/timer", await sessions.key_of(alice), client=page.client).live()
    assert await substream.until_closed() == 4103, "the socket has taken this document's timer over"
    clock.forward(5_000)
    late = {"stream": "timer", "type": "command", "client_seq": 3, "name": "report", "fence": substream.fence}
    (answer,) = await page.post([late | {"data": report(15_000)}])
    assert answer == {"stream": "timer", "type": "close", "code": 4103}
    account = await TimerAccount.objects.aget()
    assert account.accumulated_ms == 10_000, "the fenced report has changed something"
    await newer.leave()


async def test_a_reader_that_says_seen_nothing_is_sent_a_credits_worth_and_no_more(
    live: Node, sessions: Sessions, contest: Contest, alice: User
) -> None:
    page = await enter(sessions, alice, "announcements")
    substream = page.substreams["announcements"]
    await tell(contest, 400)
    await eventually(lambda: len(substream.received) + substream.arrived.qsize() == credit.FRAMES)
    await asyncio.sleep(0.3)  # the fault itself: it takes nothing in
    assert len(substream.received) + substream.arrived.qsize() == credit.FRAMES
    assert await page.post([{"stream": "announcements", "type": "seen", "frames": credit.FRAMES}]) == []
    while len(substream.events()) < 400:
        await substream.receive()


async def test_a_ping_is_answered_by_the_response_itself(
    live: Node, sessions: Sessions, contest: Contest, alice: User
) -> None:
    page = await enter(sessions, alice, "announcements", "timer")
    assert await page.post([{"stream": "timer", "type": "ping"}]) == [], "answered beside what it asks after"
    assert await page.substreams["timer"].receive() == "pong"


async def test_nobody_elses_words_reach_an_event_stream(
    live: Node, sessions: Sessions, contest: Contest, alice: User, bob: User
) -> None:
    page = await enter(sessions, alice, "announcements")
    his = Document("cup", ["announcements"], await sessions.key_of(bob), client=page.client)
    assert await his.post([{"stream": "announcements", "type": "ping"}]) == []
    await page.post([{"stream": "announcements", "type": "ping"}])
    assert await page.substreams["announcements"].receive() == "pong"
    assert page.substreams["announcements"].arrived.empty(), "his ping was answered, too"


async def test_a_ban_ends_all_streams_and_the_response(
    live: Node, sessions: Sessions, contest: Contest, alice: User, grace: User
) -> None:
    page = await enter(sessions, alice, *ALL)
    await ban(contest, alice, grace)
    for substream in page.substreams.values():
        assert await substream.until_closed() == 4003
        assert substream.received[-1]["code"] == "forbidden"
    await eventually(lambda: page.has_ended)
    answers = await page.post([ask(1)])
    assert [each["type"] for each in answers] == ["end", "close"]
    assert await Clarification.objects.acount() == 0


async def test_who_may_not_follow_is_told_in_frames(
    live: Node, sessions: Sessions, contest: Contest, mallory: User
) -> None:
    page = await Document("cup", ["announcements", "nonsense"], await sessions.key_of(mallory)).open()
    assert await page.substreams["announcements"].until_closed() == 4003
    assert await page.substreams["nonsense"].until_closed() == 4004
    stranger = await Document("cup", ["announcements"]).open()
    assert await stranger.substreams["announcements"].until_closed() == 4002
    assert [each["type"] for each in await stranger.post([ask(1)])] == ["end", "close"]


async def test_alices_page_under_bobs_session_gets_nothing_of_his_and_does_nothing_as_him(
    live: Node, sessions: Sessions, contest: Contest, alice: User, bob: User
) -> None:
    page = await Document("cup", ["announcements"], await sessions.key_of(bob)).open(
        hello={"announcements": {"user": alice.pk}}
    )
    assert await page.substreams["announcements"].until_closed() == 4002
    assert [frame["type"] for frame in page.substreams["announcements"].received] == ["end"]
    status, body = await page.post_raw({"client": page.client, "user": alice.pk, "frames": [ask(1)]})
    assert status == 200
    assert [each["type"] for each in json.loads(body)["frames"]] == ["end", "close"]
    assert await Clarification.objects.acount() == 0
    status, body = await page.post_raw({"client": page.client, "user": bob.pk, "frames": [ask(1)]})
    assert json.loads(body)["frames"][0]["ok"], "his own page asks"


def open_responses() -> float:
    return float(metrics.event_streams._value.get())


async def test_a_client_that_goes_leaves_nothing_behind(
    live: Node, sessions: Sessions, contest: Contest, alice: User
) -> None:
    page = await enter(sessions, alice, *ALL)
    assert len(live.consumers) == len(ALL)
    assert open_responses() == 1
    await page.leave()
    assert open_responses() == 0
    assert not live.consumers
    assert not live.people.of_user(alice.pk)


async def test_a_drained_node_ends_the_response_with_its_frames(
    live: Node, sessions: Sessions, contest: Contest, alice: User
) -> None:
    page = await enter(sessions, alice, "announcements", "timer")
    draining = asyncio.create_task(live.drain(60.0))
    for substream in page.substreams.values():
        await substream.until("drain")
        await substream.send({"type": "leave"})
        assert await substream.until_closed() == 4112
    await eventually(lambda: page.has_ended)
    async with asyncio.timeout(0.5):
        await draining


async def test_comments_come_while_nothing_happens(
    live: Node, sessions: Sessions, contest: Contest, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(carrier, "COMMENT_S", 0.05)
    page = await enter(sessions, alice, "announcements")
    before = page.comments
    await eventually(lambda: page.comments >= before + 3)


async def test_a_watch_done_by_a_request_steers_the_event_stream(
    live: Node, sessions: Sessions, contest: Contest, alice: User
) -> None:
    page = await enter(sessions, alice, "records")
    (consumer,) = live.people.of_user(alice.pk)
    assert consumer.watched is None  # type: ignore[attr-defined]
    reply = await page.substreams["records"].command(1, "watch", {"ids": []})
    assert reply["data"] == {"records": []}
    assert consumer.watched == frozenset()  # type: ignore[attr-defined]


async def test_a_record_is_followed_beside_the_streams_of_its_contest_and_a_foreign_one_is_told_apart_by_nothing(
    live: Node, sessions: Sessions, contest: Contest, alice: User, bob: User
) -> None:
    record = await submit(contest, alice)
    own, missing = f"record/{record.pk}", f"record/{record.pk + 1}"
    page = await enter(sessions, alice, own, "records")
    await judge_case(record, 1)
    case = await page.substreams[own].until("event", "case.finished")
    assert case["data"]["record"] == record.pk
    his = await Document("cup", [own, missing], await sessions.key_of(bob)).open()
    codes = {name: await substream.until_closed() for name, substream in his.substreams.items()}
    assert codes == {own: 4004, missing: 4004}


def test_the_golden_address_and_request_are_read_as_the_frames_of_a_socket() -> None:
    told = golden.golden()
    text, frames = told["events"], told["client"]
    hellos = {name: parse(hello) for name, hello in events.read_address(text["address"].encode()).items()}
    assert hellos[text["first"]] == parse(frames["first hello"])
    resumed = parse(frames["hello with a cursor"])
    assert isinstance(resumed, Hello)
    assert hellos[text["resumed"]] == replace(resumed, token=""), "a token never stands in an address"
    given = bodies.read_request(text["up"].encode())
    assert given is not None
    client, _, by_stream = given
    assert client == text["client"]
    assert [frame["type"] for frame in by_stream[text["first"]]] == ["command", "seen"]
    assert by_stream["timer"][0]["fence"] == text["fence"]
