"""Where the streams live. Foreign origins are refused here, before the upgrade."""

from __future__ import annotations

import re
from typing import Any

from realtime.consumers.announcements import Announcements
from realtime.consumers.base import StreamConsumer
from realtime.consumers.lost import no_such_stream
from realtime.consumers.record import OneRecord
from realtime.consumers.records import Records
from realtime.consumers.selftest import SelfTest
from realtime.consumers.timer import Timer
from realtime.entry import origin
from realtime.hub.outbox import Send

_SLUG = "(?P<target>[-a-zA-Z0-9_]{1,60})"

ROUTES: list[tuple[re.Pattern[str], type[StreamConsumer]]] = [
    (re.compile(rf"/ws/contests/{_SLUG}/announcements"), Announcements),
    (re.compile(rf"/ws/contests/{_SLUG}/records"), Records),
    (re.compile(r"/ws/records/(?P<target>[0-9]{1,15})"), OneRecord),
    (re.compile(rf"/ws/contests/{_SLUG}/selftest"), SelfTest),
    (re.compile(rf"/ws/contests/{_SLUG}/timer"), Timer),
]


async def application(scope: dict[str, Any], receive: Any, send: Send) -> None:
    """The ASGI application for WebSockets."""
    if not origin.is_own(scope["headers"]):
        await receive()
        await send({"type": "websocket.close"})  # before accepting: HTTP 403
        return
    for pattern, consumer in ROUTES:
        found = pattern.fullmatch(scope["path"])
        if found:
            await consumer()(scope | {"url_route": {"kwargs": found.groupdict()}}, receive, send)
            return
    await no_such_stream(scope, receive, send)
