"""The servers that are compared in a broadcast, each with all its clients connected."""

from __future__ import annotations

import socket
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bench.scenarios.broadcast import Audience
from bench.stage.jury import Jury
from bench.stage.machine import LOAD_CORE, on_core
from bench.stage.peer import peer
from bench.stage.site import SQLITE, Site, serving
from bench.wire.bare import Bare
from bench.wire.client import Client
from bench.wire.crowd import Crowd
from bench.wire.fathom import Fathom
from tools.services import Redis

FATHOM, PICOWS = "Fathom, everything on", "picows, bare"
CHANNELS, CHANNELS_REDIS = "textbook Channels, Daphne, in memory", "textbook Channels, uvicorn, Redis pub/sub"

BODY = "x" * 200
FRAME_BYTES = 560
"""What a peer sends: about the size of the site's own frame with `BODY`."""


@dataclass(frozen=True)
class Contender:
    """`publish` brings about one broadcast; `faults` says at the end what went wrong beside lost frames."""

    crowd: Crowd
    pid: int
    audience: Audience
    connect_s: float
    publish: Callable[[], object]
    faults: Callable[[], list[str]]


@contextmanager
def _fathom(clients: int) -> Iterator[Contender]:
    with serving(SQLITE, clients) as site, visitors_of(site) as contender:
        yield contender


@contextmanager
def visitors_of(site: Site) -> Iterator[Contender]:
    """All contestants of a site that runs already."""
    with crowd_of(site.port) as crowd:
        dialect, audience = Fathom(crowd), Audience(len(site.sessions))

        def on_event(client: Client, event: dict[str, Any], at_ns: int) -> None:
            if event["name"] == "announcement.posted":
                audience.on_delivery(at_ns)

        dialect.on_event = on_event
        members = [Client(i, dialect, site.path("announcements"), key) for i, key in enumerate(site.sessions)]
        connect_s = crowd.open(members)
        jury = Jury(site.port)
        posted: list[socket.socket] = []

        def publish() -> None:
            posted.append(jury.send_notice(f"Notice {len(posted)}", BODY))

        def faults() -> list[str]:
            for each in posted:
                jury.notice_of(each)
            return faults_of(site, crowd, dialect)

        yield Contender(crowd, site.pid, audience, connect_s, publish, faults)


def faults_of(site: Site, crowd: Crowd, dialect: Fathom) -> list[str]:
    """What must not happen under any load that the server survives."""
    found = [f"{count} clients lost: {why}" for why, count in crowd.losses.items()]
    found += [f"{dialect.gaps} gaps"] * bool(dialect.gaps) + [f"{dialect.duplicates} duplicates"] * bool(
        dialect.duplicates
    )
    return found + site.faults()


@contextmanager
def _peer(module: str, arguments: Sequence[str], clients: int) -> Iterator[Contender]:
    with peer(module, *arguments) as server, crowd_of(server.port) as crowd:
        audience = Audience(clients)
        dialect = Bare(crowd, audience.on_delivery)
        members = [Client(index, dialect, "/") for index in range(clients)]
        connect_s = crowd.open(members)
        publish = partial(crowd.send, members[0], str(FRAME_BYTES).encode())
        yield Contender(crowd, server.pid, audience, connect_s, publish, list)


@contextmanager
def _channels_redis(clients: int) -> Iterator[Contender]:
    with tempfile.TemporaryDirectory(prefix="fathom-", dir="/tmp") as folder:  # a socket's path must be short
        redis = Redis(Path(folder))
        with on_core(LOAD_CORE):
            redis.start()
        try:
            with _peer("channels_groups", (redis.url,), clients) as contender:
                yield contender
        finally:
            redis.stop()


@contextmanager
def crowd_of(port: int) -> Iterator[Crowd]:
    """Clients of one server; all leave at the end."""
    crowd = Crowd(port)
    try:
        yield crowd
    finally:
        crowd.close()


OPENERS: dict[str, Callable[[int], AbstractContextManager[Contender]]] = {
    FATHOM: _fathom,
    PICOWS: partial(_peer, "picows_bare", ()),
    CHANNELS: partial(_peer, "channels_groups", ("memory",)),
    CHANNELS_REDIS: _channels_redis,
}


def can_open(name: str) -> bool:
    """picows is needed by nothing else and may not be installed."""
    return name != PICOWS or find_spec("picows") is not None
