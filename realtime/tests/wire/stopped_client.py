"""A client in a process of its own, so that all of it can be stopped as a browser's main thread stops.

Arguments: port, path and session cookie. Says `live` on its standard output, a `ping` for each that it has
answered, and with which code it was closed.
"""

from __future__ import annotations

import asyncio
import json
import sys

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed


async def main(port: str, path: str, session: str) -> None:
    origin = f"http://127.0.0.1:{port}"
    cookie = {"Cookie": f"sessionid={session}"}
    socket = await connect(
        f"ws://127.0.0.1:{port}{path}",
        origin=origin,  # type: ignore[arg-type]
        additional_headers=cookie,
        ping_interval=None,
    )
    await socket.send(json.dumps({"type": "hello", "protocol": 1, "client": "stopped"}))
    try:
        while True:
            text = await socket.recv()
            if text == "ping":
                _say("ping")
                await socket.send("pong")
            elif json.loads(text)["type"] == "synced":
                _say("live")
    except ConnectionClosed as closed:
        _say(f"closed {closed.rcvd and closed.rcvd.code}")


def _say(words: str) -> None:
    sys.stdout.write(words + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
