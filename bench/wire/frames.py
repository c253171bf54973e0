"""RFC 6455 as far as a client under load needs it. Pure: bytes in, frames out.

Servers under test neither fragment nor mask; both are reported as a fault instead of being read.
"""

from __future__ import annotations

import struct

TEXT, CLOSE, PING, PONG = 0x1, 0x8, 0x9, 0xA
FIN = 0x80
MASKED = 0x80
LENGTH_16, LENGTH_64 = 126, 127
NO_MASK = bytes(4)
"""Masking with zeros is legal and costs nothing; the mask protects proxies, of which there are none here."""

Frame = tuple[int, bytes]
"""(opcode, payload)."""


class BadFrame(Exception):
    """What no server of this comparison sends: the stream cannot be read any further."""


def encode(payload: bytes, opcode: int = TEXT) -> bytes:
    """One frame of a client."""
    size = len(payload)
    if size < LENGTH_16:
        head = bytes((FIN | opcode, MASKED | size))
    elif size < 1 << 16:
        head = struct.pack("!BBH", FIN | opcode, MASKED | LENGTH_16, size)
    else:
        head = struct.pack("!BBQ", FIN | opcode, MASKED | LENGTH_64, size)
    return head + NO_MASK + payload


def split(data: bytes) -> tuple[list[Frame], bytes]:
    """The complete frames at the beginning of `data`, and the rest. Raises BadFrame."""
    found: list[Frame] = []
    start, size = 0, len(data)
    while size - start >= 2:
        opcode, length = data[start], data[start + 1]
        if not opcode & FIN or opcode & 0x70 or length & MASKED:
            raise BadFrame(f"a frame begins with {data[start : start + 2].hex()}")
        body = start + 2
        if length >= LENGTH_16:
            body += 2 if length == LENGTH_16 else 8
            if size < body:
                break
            length = int.from_bytes(data[start + 2 : body], "big")
        if size < body + length:
            break
        found.append((opcode & 0x0F, data[body : body + length]))
        start = body + length
    return found, data[start:]


def close_code(payload: bytes) -> int:
    """The code of a close frame; 1005 where it has none."""
    return int.from_bytes(payload[:2], "big") if len(payload) >= 2 else 1005
