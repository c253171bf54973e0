"""The second way in over a real server: any node takes what goes up, and nobody who reads nothing costs much."""

from __future__ import annotations

import asyncio
import time

import pytest

from realtime.tests.wire.event_sockets import EventSocket
from realtime.tests.wire.sockets import Door
from realtime.tests.wire.stage import Stage
from realtime.tests.wire.test_slow_readers import measured
from tools.site_process import SiteProcess

RIGHTS_END_WITHIN_S = 10.0


async def test_notices_come_down_and_commands_are_done_on_another_node(
    door: Door, hasty_door: Door, stage: Stage
) -> None:
    page = await EventSocket(door, "alice", "announcements", client="events-1", other=hasty_door).open()
    await page.until("synced")
    notice = await asyncio.to_thread(stage, "post", "over http")
    assert (await page.until("event", "announcement.posted"))["data"]["id"] == notice
    data = {"notices": [{"id": notice, "version": 1}]}
    (reply,) = await page.post([{"type": "command", "client_seq": 1, "name": "ack", "data": data}])
    assert reply["ok"], reply
    assert await asyncio.to_thread(stage, "confirmed", notice) == 1
    page.writer.close()


@pytest.mark.scaled
async def test_a_ping_to_another_node_is_answered_by_the_response(door: Door, hasty_door: Door) -> None:
    page = await EventSocket(door, "alice", "announcements", client="events-2", other=hasty_door).open()
    await page.until("synced")
    assert await page.post([{"type": "ping"}]) == []
    assert await page.receive() == "pong"
    page.writer.close()


async def test_reports_to_another_node_are_fenced_by_whoever_took_over(door: Door, hasty_door: Door) -> None:
    page = await EventSocket(door, "bob", "timer", client="events-3", other=hasty_door).open()
    fence = (await page.until("welcome"))["fence"]
    report = {"type": "command", "name": "report", "fence": fence}
    first = report | {"client_seq": 1, "data": {"foreground": True, "foreground_ms": 0}}
    (reply,) = await page.post([first])
    assert reply["ok"], reply
    newer = await door.live("bob", "timer", client="events-3")
    second = report | {"client_seq": 2, "data": {"foreground": True, "foreground_ms": 100}}
    assert await page.post([second]) == [{"stream": "timer", "type": "close", "code": 4103}]
    await newer.connection.close()
    page.writer.close()


async def test_a_client_that_is_gone_is_freed_at_once(strict_site: SiteProcess, door: Door) -> None:
    own_door = Door(strict_site.port, door.sessions)
    page = await EventSocket(own_door, "alice", "announcements", client="events-4").open()
    await page.until("synced")
    gauge = 'fathom_connections{stream="announcements"}'
    assert measured(strict_site, gauge) == 1
    page.writer.close()
    deadline = time.monotonic() + 5
    while measured(strict_site, gauge) != 0:
        assert time.monotonic() < deadline, "a dead event stream is kept"
        await asyncio.sleep(0.05)


async def test_a_reader_that_takes_nothing_in_is_let_go_as_on_a_socket(
    strict_site: SiteProcess, door: Door, stage: Stage
) -> None:
    own_door = Door(strict_site.port, door.sessions)
    page = await EventSocket(own_door, "alice", "announcements", client="events-5").open()
    await page.until("synced")
    await page.acknowledge()
    page.transport.pause_reading()
    await asyncio.to_thread(stage, "burst", 10, 50, 20_000)
    deadline = time.monotonic() + 15
    while measured(strict_site, 'fathom_closes_total{code="4100",stream="announcements"}') < 1:
        assert time.monotonic() < deadline, "it is kept"
        await asyncio.sleep(0.1)
    gauge = 'fathom_connections{stream="announcements"}'
    assert measured(strict_site, gauge) == 0
    page.transport.resume_reading()
    code = await page.until_closed()
    assert code in (4100, 1006), "told so if it reads on in time, cut if not"
    assert len(page.events()) < 50, "no more than a credit's worth was on the way to it"
    page.writer.close()


@pytest.mark.parametrize(("act", "code", "end"), [("ban", 4003, "forbidden"), ("sign_out", 4002, "signed-out")])
async def test_whoever_loses_the_right_loses_event_stream_and_requests_within_seconds(
    door: Door, stage: Stage, act: str, code: int, end: str
) -> None:
    """The right is taken away in another process, as in test_losing_rights.py."""
    who = f"{act}-over-events"
    session, _ = stage("enroll", who)
    own = Door(door.port, {**door.sessions, who: session})
    names = ("announcements", "records", "timer")
    pages = [await EventSocket(own, who, name, client=f"{who}-{name}").open() for name in names]
    for page in pages:
        await page.until("synced")
    neighbour = await EventSocket(own, "bob", "announcements", client=f"{who}-bob").open()
    await neighbour.until("synced")
    began = time.monotonic()
    await asyncio.to_thread(stage, act, who)
    codes = await asyncio.gather(*(page.until_closed(RIGHTS_END_WITHIN_S) for page in pages))
    assert time.monotonic() - began < RIGHTS_END_WITHIN_S
    assert codes == [code] * len(pages)
    assert {page.received[-1]["code"] for page in pages} == {end}
    asked = {"type": "command", "client_seq": 1, "name": "ask", "data": {"problem": None, "text": "And now?"}}
    answers = await pages[0].post([asked])
    assert [(each["type"], each["code"]) for each in answers] == [("end", end), ("close", code)]
    assert await neighbour.post([{"type": "ping"}]) == []
    while await neighbour.receive() != "pong":  # standings may have changed meanwhile
        pass
    for page in [*pages, neighbour]:
        page.writer.close()
