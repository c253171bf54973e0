"""The usual way: a Channels consumer in a group, as in the tutorial. Usage: channels_groups PORT memory|REDIS_URL

In memory it runs on Daphne, which Channels comes with; with Redis on uvicorn, which is what people move to.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from django.conf import settings

GROUP = "announcements"
BACKLOG = 4096


def configure(layer: str) -> None:
    layers: dict[str, Any] = {"BACKEND": "channels.layers.InMemoryChannelLayer"}
    if layer != "memory":
        host = {"address": layer, "socket_timeout": None, "max_connections": 100_000}
        layers = {"BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer", "CONFIG": {"hosts": [host]}}
    settings.configure(SECRET_KEY="-" * 50, CHANNEL_LAYERS={"default": layers}, ALLOWED_HOSTS=["*"])


def application() -> Any:
    from channels.generic.websocket import AsyncJsonWebsocketConsumer
    from channels.routing import ProtocolTypeRouter

    from bench.peers.broadcast import message, wanted_bytes

    class Textbook(AsyncJsonWebsocketConsumer):
        async def connect(self) -> None:
            await self.channel_layer.group_add(GROUP, self.channel_name)
            await self.accept()

        async def disconnect(self, code: int) -> None:
            await self.channel_layer.group_discard(GROUP, self.channel_name)

        async def receive_json(self, content: Any, **kwargs: Any) -> None:
            data = json.loads(message(wanted_bytes(str(content))))
            await self.channel_layer.group_send(GROUP, {"type": "push", "data": data})

        async def push(self, event: dict[str, Any]) -> None:
            await self.send_json(event["data"])

    return ProtocolTypeRouter({"websocket": Textbook.as_asgi()})


def serve_daphne(port: int) -> None:
    from daphne.server import Server

    from bench.peers.broadcast import READY

    endpoint = f"tcp:port={port}:interface=127.0.0.1:backlog={BACKLOG}"
    Server(application(), endpoints=[endpoint], ready_callable=lambda: print(READY, flush=True)).run()


def serve_uvicorn(port: int) -> None:
    import uvicorn

    from bench.peers.broadcast import READY

    class Peer(uvicorn.Server):
        async def startup(self, sockets: Any = None) -> None:
            await super().startup(sockets)
            print(READY, flush=True)

    config = uvicorn.Config(
        application(), port=port, ws="websockets-sansio", lifespan="off", backlog=BACKLOG, log_level="warning"
    )
    Peer(config).run()


if __name__ == "__main__":
    configure(sys.argv[2])
    (serve_daphne if sys.argv[2] == "memory" else serve_uvicorn)(int(sys.argv[1]))
