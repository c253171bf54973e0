"""Rights taken away in another process: the sockets of that person close within seconds, with words; no others do."""

from __future__ import annotations

import asyncio
import time

import pytest

from realtime.tests.wire.sockets import Door
from realtime.tests.wire.stage import Stage

OF_CONTEST = ("announcements", "records", "selftest")
WITHIN_S = 10.0


@pytest.mark.parametrize(
    ("act", "enter", "streams", "code", "end"),
    [
        ("ban", "enroll", (*OF_CONTEST, "timer", "record"), 4003, "forbidden"),
        ("remove", "register", (*OF_CONTEST, "timer"), 4003, "forbidden"),  # whoever has a record stays
        ("sign_out", "enroll", (*OF_CONTEST, "timer", "record"), 4002, "signed-out"),
        ("change_password", "enroll", (*OF_CONTEST, "timer", "record"), 4002, "signed-out"),
        ("dismiss", "appoint", (*OF_CONTEST, "record"), 4003, "forbidden"),
        ("make_private", "visit", ("record",), 4003, "forbidden"),
    ],
)
async def test_every_stream_of_that_person_closes_and_no_other(
    door: Door, stage: Stage, act: str, enter: str, streams: tuple[str, ...], code: int, end: str
) -> None:
    who = f"{act}-{enter}"
    if enter != "enroll":
        stage("enroll", f"{who}-other")
    session, record = stage(enter, who)
    own = Door(door.port, {**door.sessions, who: session})
    neighbour = await own.live("bob", client=who)
    opened = [await own.live(who, f"/ws/records/{record}" if each == "record" else each) for each in streams]
    began = time.monotonic()
    await asyncio.to_thread(stage, act, who)
    codes = await asyncio.gather(*(socket.until_closed(WITHIN_S) for socket in opened))
    assert time.monotonic() - began < WITHIN_S
    assert codes == [code] * len(streams)
    assert {(socket.received[-1]["type"], socket.received[-1]["code"]) for socket in opened} == {("end", end)}
    await neighbour.send("ping")
    while await neighbour.receive() != "pong":  # standings may have changed meanwhile
        pass
