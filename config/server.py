"""The server program: uvicorn, set up as it measured best with many live connections."""

from __future__ import annotations

import gc
import logging
import resource
import socket
from asyncio import CancelledError
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress

import uvicorn
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from config.deadlines import TimedHttp, give_up_the_late
from config.environment import Environment

BACKLOG = 4096
WEBSOCKET_MAX_BYTES = 2 * 1024 * 1024
GRACE_S = 2
TICKS_A_SECOND = 10
GC_THRESHOLD = (50_000, 50, 100)


class Server(uvicorn.Server):
    """uvicorn without handlers of its own for signals; `on_ready` is called when it accepts connections.
    Once a second it gives up connections whose request does not come."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._on_ready()

    async def on_tick(self, counter: int) -> bool:
        if counter % TICKS_A_SECOND == 0:
            give_up_the_late(self.server_state.connections)
        return await super().on_tick(counter)

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


class WebSockets(WebSocketsSansIOProtocol):
    """uvicorn's, which leaves a handshake that it cannot read (a header over 8 KiB) unanswered for ever."""

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.handshake_exc is not None and not self.handshake_initiated:
            self.transport.write(b"".join(self.conn.data_to_send()))  # 414 or 431, if it came so far
            self.transport.close()


def make_config(environment: Environment) -> uvicorn.Config:
    """Own heartbeats instead of the protocol's pings; no compression (2.5 times the memory); no access log."""
    return uvicorn.Config(
        "config.asgi:application",
        host=environment.host,
        port=environment.port,
        loop="uvloop",
        http=TimedHttp,
        ws=WebSockets,
        ws_max_size=WEBSOCKET_MAX_BYTES,
        ws_ping_interval=None,
        ws_ping_timeout=None,
        ws_per_message_deflate=False,
        lifespan="off",
        backlog=BACKLOG,
        access_log=False,
        log_config=None,
        server_header=False,
        proxy_headers=bool(environment.trusted_proxies),
        forwarded_allow_ips=list(environment.trusted_proxies) or None,
        timeout_graceful_shutdown=GRACE_S,
    )


def quieten_logs() -> None:
    """One line for each connection is noise. A client's broken UTF-8 is no fault of ours, nor is a request whose
    body has not come by the time that this process ends: uvicorn cancels it after GRACE_S."""
    log = logging.getLogger("uvicorn.error")
    log.setLevel(logging.WARNING)
    log.addFilter(without_traceback_of_others_faults)


def without_traceback_of_others_faults(record: logging.LogRecord) -> bool:
    if record.exc_info and isinstance(record.exc_info[1], UnicodeDecodeError | CancelledError):
        record.exc_info = None
        record.levelno, record.levelname = logging.INFO, "INFO"
    return True


def allow_many_connections() -> None:
    """As many descriptors as this user may have."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def calm_garbage_collection() -> None:
    """What is loaded now stays: a full collection would look at it again and again, half a second each time
    when there are ten thousand connections."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLD)
