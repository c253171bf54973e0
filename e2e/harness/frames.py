"""What a page's WebSockets carried, as the browser saw it."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import Page, WebSocket

Frame = dict[str, Any]


class FrameTap:
    """Collects every JSON frame that the page receives and sends, from its next navigation on."""

    def __init__(self, page: Page) -> None:
        self.received: list[Frame] = []
        self.sent: list[Frame] = []
        self.opened: list[str] = []
        page.on("websocket", self._listen)

    def _listen(self, socket: WebSocket) -> None:
        self.opened.append(socket.url)
        socket.on("framereceived", lambda payload: self._keep(self.received, payload))
        socket.on("framesent", lambda payload: self._keep(self.sent, payload))

    @staticmethod
    def _keep(where: list[Frame], payload: str | bytes) -> None:
        if payload not in ("ping", "pong"):
            where.append(json.loads(payload))

    def events(self, name: str) -> list[Frame]:
        return [frame for frame in self.received if frame.get("type") == "event" and frame["name"] == name]

    def sent_commands(self, name: str) -> list[Frame]:
        return [frame for frame in self.sent if frame.get("type") == "command" and frame["name"] == name]

    def settled(self) -> list[tuple[float, float]]:
        """(moment by the server's clock, time counted until then) of each report that was answered; in ms."""
        replies = [frame["data"] for frame in self.received if frame.get("type") == "reply" and frame["ok"]]
        return [(data["as_of"] * 1000, data["accumulated_ms"]) for data in replies if "accumulated_ms" in data]
