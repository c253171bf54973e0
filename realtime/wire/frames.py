"""The wire contract, outgoing half: one builder for each frame of the server. Pure; see docs/protocol.md."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from realtime.wire.protocol import VERSION, Cursor, EndCode, RetryCode


def encode(value: Any) -> str:
    """Compact JSON. Times are seconds since 1970 with milliseconds, as `server_time`."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _cursors(cursors: Mapping[str, Cursor]) -> dict[str, dict[str, Any]]:
    return {topic: {"epoch": cursor.epoch, "seq": cursor.seq} for topic, cursor in cursors.items()}


def welcome(
    *, node: str, server_time: float, resumed: bool, timings: Mapping[str, int], fence: int | None = None
) -> str:
    """`fence`: what the reports of this connection have to name, where they do not come on it."""
    frame = {
        "type": "welcome",
        "protocol": VERSION,
        "node": node,
        "server_time": round(server_time, 3),
        "resumed": resumed,
        "timings": dict(timings),
    }
    return encode(frame if fence is None else frame | {"fence": fence})


def snapshot(cursors: Mapping[str, Cursor], data_json: str) -> str:
    """The stream's whole state; `data_json` is at least as new as the cursors."""
    return f'{{"type":"snapshot","cursor":{encode(_cursors(cursors))},"data":{data_json}}}'


def synced(cursors: Mapping[str, Cursor]) -> str:
    return encode({"type": "synced", "cursor": _cursors(cursors)})


@dataclass(frozen=True, slots=True)
class EventText:
    """An event, encoded once. `whole` is the frame for everybody who was served up to the number before it."""

    seq: int
    whole: str
    size_bytes: int
    head: str
    tail: str

    def after(self, told: int) -> str:
        """The frame for a connection that was served up to `told`."""
        return self.whole if told == self.seq - 1 else f"{self.head}{told}{self.tail}"


def event(short: str, key: str, seq: int, name: str, data_json: str) -> EventText:
    head = f'{{"type":"event","topic":"{short}","after":'
    tail = f',"seq":{seq},"id":"{key}/{seq}","name":"{name}","data":{data_json}}}'
    whole = f"{head}{seq - 1}{tail}"
    return EventText(seq, whole, len(whole.encode()), head, tail)


def reply(client_seq: int, data: Mapping[str, Any], *, server_time: float, held_ms: int) -> str:
    """Sent only after the command's effect is durable."""
    return encode(
        {
            "type": "reply",
            "client_seq": client_seq,
            "ok": True,
            "data": data,
            "server_time": round(server_time, 3),
            "held_ms": held_ms,
        }
    )


def refusal(
    client_seq: int,
    code: str,
    message: str,
    *,
    server_time: float,
    held_ms: int,
    retry_after_ms: int | None = None,
) -> str:
    error: dict[str, Any] = {"code": code, "message": message}
    if retry_after_ms is not None:
        error["retry_after_ms"] = retry_after_ms
    return encode(
        {
            "type": "reply",
            "client_seq": client_seq,
            "ok": False,
            "error": error,
            "server_time": round(server_time, 3),
            "held_ms": held_ms,
        }
    )


def timer(*, accumulated_ms: int, as_of: float, counting: bool, lease_expires_at: float | None) -> str:
    """State of the contestant's foreground time; it has no topic and no number: the newest `as_of` counts."""
    return encode(
        {
            "type": "timer",
            "accumulated_ms": accumulated_ms,
            "as_of": round(as_of, 3),
            "counting": counting,
            "lease_expires_at": None if lease_expires_at is None else round(lease_expires_at, 3),
        }
    )


def retry(code: RetryCode, message: str, retry_after_ms: int) -> str:
    return encode({"type": "retry", "code": code.value, "message": message, "retry_after_ms": retry_after_ms})


def end(code: EndCode, message: str) -> str:
    return encode({"type": "end", "code": code.value, "message": message})


def drain(leave_in_ms: int) -> str:
    return encode({"type": "drain", "leave_in_ms": leave_in_ms})


def token(value: str, expires_in_ms: int) -> str:
    return encode({"type": "token", "token": value, "expires_in_ms": expires_in_ms})
