"""A WebSocket client that can also do what no WebSocket client does: bytes as they are."""

from __future__ import annotations

import asyncio
import base64
import os
import struct

TEXT, BINARY, CONTINUATION, CLOSE, PING, PONG = 1, 2, 0, 8, 9, 10
ANSWERS_IN_S = 10.0
LOST = 1006
"""The connection ended without a close frame."""


def frame(
    opcode: int, payload: bytes, *, fin: bool = True, reserved: int = 0, masked: bool = True, length: int | None = None
) -> bytes:
    """One frame of RFC 6455; `length` may lie."""
    size = len(payload) if length is None else length
    head = bytes([(0x80 if fin else 0) | reserved << 4 | opcode])
    mask_bit = 0x80 if masked else 0
    if size < 126:
        head += bytes([mask_bit | size])
    elif size < 65536:
        head += bytes([mask_bit | 126]) + struct.pack(">H", size)
    else:
        head += bytes([mask_bit | 127]) + struct.pack(">Q", size)
    if not masked:
        return head + payload
    mask = os.urandom(4)
    return head + mask + bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload))


class Raw:
    """One TCP connection to the site."""

    def __init__(self, port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._port = port
        self._reader = reader
        self._writer = writer
        self._code: int | None = None

    @classmethod
    async def open(cls, port: int) -> Raw:
        return cls(port, *await asyncio.open_connection("127.0.0.1", port))

    async def shake(self, path: str, session: str, **headers: str) -> int:
        """The handshake, with some headers replaced; the HTTP status."""
        given = {
            "Host": f"127.0.0.1:{self._port}",
            "Origin": f"http://127.0.0.1:{self._port}",
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
            "Cookie": f"sessionid={session}",
        } | headers
        lines = [f"GET {path} HTTP/1.1", *(f"{name}: {value}" for name, value in given.items()), "", ""]
        self.write("\r\n".join(lines).encode("latin-1"))
        try:
            async with asyncio.timeout(ANSWERS_IN_S):
                head = await self._reader.readuntil(b"\r\n\r\n")
        except TimeoutError:
            raise AssertionError(f"no answer to the handshake {lines}") from None
        except (asyncio.IncompleteReadError, OSError):
            return 0
        return int(head.split(b" ", 2)[1])

    def write(self, data: bytes) -> None:
        self._writer.write(data)

    async def closed_with(self, within_s: float) -> int:
        """The code of the server's close frame, LOST if there was none. Raises TimeoutError."""
        async with asyncio.timeout(within_s):
            try:
                while self._code is None:
                    await self._read_frame()
            except (asyncio.IncompleteReadError, OSError):
                self._code = LOST
        return self._code

    async def synced(self, within_s: float) -> bool:
        """Until the server has said `synced`. False: it has ended the connection instead."""
        async with asyncio.timeout(within_s):
            try:
                while (frame := await self._read_frame())[0] != CLOSE:
                    if b'"type":"synced"' in frame[1]:
                        return True
            except (asyncio.IncompleteReadError, OSError):
                self._code = LOST
        return False

    async def _read_frame(self) -> tuple[int, bytes]:
        first, second = await self._reader.readexactly(2)
        size = second & 0x7F
        if size == 126:
            (size,) = struct.unpack(">H", await self._reader.readexactly(2))
        elif size == 127:
            (size,) = struct.unpack(">Q", await self._reader.readexactly(8))
        opcode, payload = first & 0x0F, await self._reader.readexactly(size)
        if opcode == CLOSE:
            self._code = int.from_bytes(payload[:2]) if len(payload) >= 2 else 1005
        return opcode, payload

    def close(self) -> None:
        self._writer.transport.abort()
