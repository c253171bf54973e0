"""Paths that are no stream: said in a frame, because a browser cannot read a handshake's HTTP status."""

from __future__ import annotations

from typing import Any

from realtime.hub.outbox import Send
from realtime.wire import frames
from realtime.wire.protocol import CloseCode, EndCode


async def no_such_stream(scope: dict[str, Any], receive: Any, send: Send) -> None:
    await receive()
    await send({"type": "websocket.accept"})
    await send({"type": "websocket.send", "text": frames.end(EndCode.NOT_FOUND, "There is no such stream.")})
    await send({"type": "websocket.close", "code": int(CloseCode.NOT_FOUND)})
    while (await receive())["type"] != "websocket.disconnect":
        pass
