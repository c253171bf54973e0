"""What a document says by requests, brought to the connection that it is about, wherever that is.

Credit, words and what steers a stream concern the node that holds the document's event stream; the
request may come to any other. Between nodes this travels like hints, and may be lost like them: then
the connection is found silent or slow, and resumed by its cursors.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.conf import settings
from redis import RedisError

from realtime.log import layer_hints
from realtime.node.member import Member
from realtime.wire.protocol import Malformed

if TYPE_CHECKING:
    from realtime.node.node import Node

logger = logging.getLogger(__name__)

UNDER_WAY_LIMIT = 200
"""Messages to other nodes at once; more are lost, as when Redis is away."""

Document = tuple[int, str, str, str]
"""User, client, name of the stream, target: as `Member.document`."""


class Relay:
    def __init__(self, node: Node) -> None:
        self._node = node
        self._under_way: set[asyncio.Task[None]] = set()

    def send(self, document: Document, texts: Sequence[str], steering: Sequence[tuple[str, dict[str, Any]]]) -> None:
        """Bring frames, and (name, data) of commands that are done, to the holder of `document`."""
        member = self._node.people.of_document(document)
        if member is not None:
            _tell(member, texts, steering)
        elif settings.FATHOM.redis_url and len(self._under_way) < UNDER_WAY_LIMIT:
            word = {"from": self._node.name, "document": list(document), "texts": texts, "steering": steering}
            task = self._node.loop.create_task(self._tell_others(word))
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)

    def take(self, word: dict[str, Any]) -> None:
        """From another node. Raises KeyError or TypeError for what cannot be read."""
        user_id, client, stream, target = word["document"]
        member = self._node.people.of_document((user_id, client, stream, target))
        if member is not None:
            _tell(member, word["texts"], [(name, data) for name, data in word["steering"]])

    async def _tell_others(self, word: dict[str, Any]) -> None:
        try:
            await layer_hints.tell(word)
        except (OSError, RedisError) as error:
            logger.warning("another node's event stream was not reached: %s", error)


def _tell(member: Member, texts: Sequence[str], steering: Sequence[tuple[str, dict[str, Any]]]) -> None:
    for text in texts:
        member.hear(text)
    for name, data in steering:
        try:
            member.steer(name, data)
        except Malformed as error:  # it was read before it was sent: another version of this site wrote it
            logger.warning("what steers a stream could not be read: %s", error)
