"""A page's timer goes from one node to another on the same data: the old one may say nothing more for it."""

from __future__ import annotations

import asyncio
from typing import Any

from realtime.clock import now_ms
from realtime.tests.wire.sockets import Door, Socket


async def test_the_new_node_counts_on_and_the_old_one_is_fenced(door: Door, hasty_door: Door) -> None:
    began_ms = now_ms()
    old = await door.live("bob", "timer", client="wanderer")
    neighbour = await door.live("alice", "timer", client="neighbour")
    before_ms = (await _report(old, 1, began_ms))["data"]["accumulated_ms"]
    await _report(neighbour, 1, began_ms)
    await asyncio.sleep(0.5)
    new = await hasty_door.live("bob", "timer", client="wanderer", cause="close", gap_ms=100)
    # The old node has not noticed anything: its socket is open, and it takes a last report for the same page.
    late, hers = (old, neighbour)
    await asyncio.gather(late.send(_frame(9, began_ms)), hers.send(_frame(2, began_ms)))
    assert (await hers.until("reply"))["ok"], "others in the batch are not affected"
    assert await late.until_closed() == 4103
    reply = await _report(new, 2, began_ms)
    counted_ms = reply["data"]["accumulated_ms"] - before_ms
    assert reply["ok"], "what the old node was told last did not count, not even its number"
    assert 450 <= counted_ms <= now_ms() - began_ms
    await asyncio.gather(new.connection.close(), neighbour.connection.close())


async def _report(socket: Socket, client_seq: int, began_ms: float) -> dict[str, Any]:
    await socket.send(_frame(client_seq, began_ms))
    return await socket.until("reply", timeout_s=10)


def _frame(client_seq: int, began_ms: float) -> dict[str, object]:
    data = {"foreground": True, "foreground_ms": round(now_ms() - began_ms)}
    return {"type": "command", "client_seq": client_seq, "name": "report", "data": data}
