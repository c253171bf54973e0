"""Over a real server: what was missed, and what was not."""

from __future__ import annotations

import asyncio

from realtime.tests.wire.sockets import Door
from realtime.tests.wire.stage import Stage


async def test_a_reconnect_with_a_cursor_gets_exactly_what_was_missed_in_order_once(door: Door, stage: Stage) -> None:
    socket = await door.live("alice")
    stage("post", "seen")
    await socket.until("event", "announcement.posted")
    socket.reset()
    missed = [stage("post", f"missed {number}") for number in range(5)]
    again = await door.live("alice", cursor=socket.cursor, cause="error")
    assert again.received[0]["resumed"] is True
    assert [event["data"]["id"] for event in again.events()] == missed
    assert not [frame for frame in again.received if frame["type"] == "snapshot"]
    live = stage("post", "live")
    assert (await again.until("event", "announcement.posted"))["data"]["id"] == live


async def test_an_unknown_epoch_gets_a_snapshot(door: Door) -> None:
    unknown = {"contest": {"epoch": "unknown", "seq": 1}, "me": {"epoch": "unknown", "seq": 0}}
    socket = await door.live("alice", cursor=unknown)
    assert [frame["type"] for frame in socket.received] == ["welcome", "snapshot", "synced"]
    assert socket.received[0]["resumed"] is False


async def test_another_contestant_receives_no_frame_about_alices_records(door: Door, stage: Stage) -> None:
    streams = ("announcements", "records", "timer")
    his = [await door.live("bob", stream) for stream in streams]
    hers = [await door.live("alice", stream) for stream in ("announcements", "records")]
    record = stage("submit", "alice")
    assert (await hers[0].until("event", "record.final"))["data"]["id"] == record
    assert (await hers[1].until("event", "record.updated"))["data"]["id"] == record
    foreign = await door.open("bob", f"/ws/records/{record}")
    await foreign.send({"type": "hello", "protocol": 1, "client": "bobs"})
    assert await foreign.until_closed() == 4004, "for him it does not exist, and its page says so, too"
    assert [frame["type"] for frame in foreign.received] == ["end"]
    heard = [frame for frames in await asyncio.gather(*(socket.heard(1) for socket in his)) for frame in frames]
    # A verdict of his own may still come from what other tests have submitted at this site.
    told = [frame["data"] for frame in heard if frame["type"] == "event"]
    assert [data for data in told if record in (data.get("id"), data.get("record"))] == []


async def test_a_confirmation_sent_twice_is_stored_once(door: Door, stage: Stage) -> None:
    notice = stage("post", "confirm me")
    socket = await door.live("alice")
    ack = {"notices": [{"id": notice, "version": 1}]}
    for _ in range(2):
        await socket.send({"type": "command", "client_seq": 3, "name": "ack", "data": ack})
        assert (await socket.until("reply"))["ok"] is True
    assert stage("confirmed", notice) == 1


async def test_a_notice_is_in_every_open_page_within_a_second(door: Door, stage: Stage) -> None:
    sockets = [await door.live(who, client=f"{who}-{n}") for who in ("alice", "bob", "grace") for n in range(3)]
    loop = asyncio.get_running_loop()
    began = loop.time()
    notice = await asyncio.to_thread(stage, "post", "to all")
    events = await asyncio.gather(*(socket.until("event", "announcement.posted") for socket in sockets))
    # The other process needs time of its own to post; it is counted, too.
    assert loop.time() - began < 1.5
    assert {event["data"]["id"] for event in events} == {notice}
