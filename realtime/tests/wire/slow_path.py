"""A path between client and server that is slow, or dead without saying so: a proxy in user space."""

from __future__ import annotations

import asyncio
from contextlib import suppress


class SlowPath:
    """Carries bytes to `port`, each way `delay_s` late. With `is_dead` it reads them and throws them away.

    `cut_at` holds the loop's time at which the server's end of each connection was closed by the server.
    """

    def __init__(self, port: int, delay_s: float = 0.0) -> None:
        self._target = port
        self._delay_s = delay_s
        self._tasks: set[asyncio.Task[None]] = set()
        self.is_dead = False
        self.cut_at: list[float] = []
        self.port = 0

    async def __aenter__(self) -> SlowPath:
        self._server = await asyncio.start_server(self._carry, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server_reader, server_writer = await asyncio.open_connection("127.0.0.1", self._target)
        for source, target, is_servers in ((reader, server_writer, False), (server_reader, writer, True)):
            task = asyncio.get_running_loop().create_task(self._one_way(source, target, is_servers))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _one_way(self, source: asyncio.StreamReader, target: asyncio.StreamWriter, is_servers: bool) -> None:
        loop = asyncio.get_running_loop()
        with suppress(OSError):
            while data := await source.read(65536):
                if not self.is_dead:
                    loop.call_later(self._delay_s, target.write, data)
        if is_servers:
            self.cut_at.append(loop.time())
        if not self.is_dead:
            loop.call_later(self._delay_s, target.close)
