"""How much of what people send is held before it is done, and what nests too deeply to be said again."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from contest.models import Contest, User
from realtime.fallback.commands import BODY_LIMIT_BYTES
from realtime.node.node import Node
from realtime.tests.clients import Sessions
from realtime.tests.conversation import PATIENCE_S
from realtime.tests.event_streams import Document, application, communicate, request, scope_of


async def stall(page: Document) -> Any:
    """Begin to send the largest body that is taken, but for its last byte."""
    sending = communicate(application, page.scope_of_request())
    part = {"type": "http.request", "body": b" " * (BODY_LIMIT_BYTES - 1), "more_body": True}
    await sending.send_input(part)
    return sending


async def status_of(sending: Any) -> int:
    return int((await sending.receive_output(timeout=PATIENCE_S))["status"])


async def test_bodies_that_never_end_fill_no_memory(
    live: Node, sessions: Sessions, contest: Contest, alice: User, bob: User
) -> None:
    hers = Document("cup", ["announcements"], await sessions.key_of(alice))
    his = Document("cup", ["announcements"], await sessions.key_of(bob))
    sent = [await stall(hers) for _ in range(5)]
    answers = {asyncio.create_task(status_of(each)) for each in sent}
    while len(answers) > 2:
        answered, answers = await asyncio.wait(answers, timeout=PATIENCE_S, return_when=asyncio.FIRST_COMPLETED)
        assert [each.result() for each in answered] == [429] * len(answered) != []
    assert len(answers) == 2, "what two of the largest take is held"
    assert (await his.post_raw({"client": "c", "frames": []}))[0] == 200, "it is hers that are too many"

    for each in sent:
        await each.send_input({"type": "http.disconnect"})
        await each.wait(timeout=PATIENCE_S)
    assert (await hers.post_body(b" " * (BODY_LIMIT_BYTES - 1)))[0] == 400, "read to its end again"


async def test_an_address_that_can_just_be_read_is_refused_if_it_cannot_be_said_again(live: Node) -> None:
    def depth_at_which(is_refused: Any) -> int:
        return next(depth for depth in range(100, 3000) if is_refused("[" * depth + "]" * depth))

    def is_unreadable(value: str) -> bool:
        try:
            json.loads(value)
        except RecursionError:
            return True
        return False

    most = depth_at_which(is_unreadable)
    for depth in range(most - 60, most + 5):
        query = f'streams=timer&cursor={{"timer":{"[" * depth + "]" * depth}}}'
        status, _ = await asyncio.wait_for(request(scope_of("GET", "/rt/cup/events", query)), PATIENCE_S)
        assert status in (200, 400)


async def test_who_asks_by_another_method_is_told_the_right_one(live: Node) -> None:
    for path, method, right in (("events", "HEAD", b"GET"), ("commands", "GET", b"POST")):
        asking = communicate(application, scope_of(method, f"/rt/cup/{path}"))
        await asking.send_input({"type": "http.request", "body": b"", "more_body": False})
        start = await asking.receive_output(timeout=PATIENCE_S)
        assert (start["status"], dict(start["headers"])[b"allow"]) == (405, right)
