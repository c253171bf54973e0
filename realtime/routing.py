"""Where the streams live. Foreign origins are refused here, before the upgrade."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any

from realtime.consumers import routes
from realtime.consumers.lost import no_such_stream
from realtime.entry import origin
from realtime.fallback.commands import commands
from realtime.fallback.events import events
from realtime.hub.outbox import Send

App = Callable[[dict[str, Any], Any, Any], Awaitable[None]]

EVENTS_PATH = re.compile(rf"/rt/(?P<slug>{routes.SLUG})/events")
COMMANDS_PATH = re.compile(rf"/rt/(?P<slug>{routes.SLUG})/commands")


async def application(scope: dict[str, Any], receive: Any, send: Send) -> None:
    """The ASGI application for WebSockets."""
    if not origin.is_own(scope["headers"]):
        await receive()
        await send({"type": "websocket.close"})  # before accepting: HTTP 403
        return
    found = routes.find(scope["path"])
    if found is None:
        await no_such_stream(scope, receive, send)
        return
    consumer, target = found
    await consumer()(scope | {"url_route": {"kwargs": {"target": target}}}, receive, send)


class WithFallback:
    """The ASGI application for HTTP: the streams where no WebSocket passes, and `pages` for all else."""

    def __init__(self, pages: App) -> None:
        self._pages = pages

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            for pattern, app in ((EVENTS_PATH, events), (COMMANDS_PATH, commands)):
                if found := pattern.fullmatch(scope["path"]):
                    await app(scope, receive, send, found["slug"])
                    return
        await self._pages(scope, receive, send)
