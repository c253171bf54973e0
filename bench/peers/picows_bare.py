"""The limit: nothing but picows, the fastest WebSocket server that Python has, and a list of sockets.

Usage: picows_bare PORT
"""

from __future__ import annotations

import sys
from typing import Any

import uvloop
from picows import WSFrame, WSListener, WSMsgType, WSTransport, ws_create_server

from bench.peers.broadcast import READY, message, wanted_bytes

BACKLOG = 4096
_open: dict[Any, None] = {}


class Bare(WSListener):
    def on_ws_connected(self, transport: WSTransport) -> None:
        _open[transport] = None

    def on_ws_disconnected(self, transport: WSTransport) -> None:
        _open.pop(transport, None)

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        if frame.msg_type == WSMsgType.TEXT:
            data = message(wanted_bytes(frame.get_payload_as_utf8_text())).encode()
            for each in _open:
                each.send(WSMsgType.TEXT, data)


async def main(port: int) -> None:
    server = await ws_create_server(lambda _: Bare(), "127.0.0.1", port, backlog=BACKLOG)
    print(READY, flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(main(int(sys.argv[1])))
