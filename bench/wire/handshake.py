"""The upgrade request of a client and the server's answer to it. Pure."""

from __future__ import annotations

KEY = "dGhlIHNhbXBsZSBub25jZQ=="
"""The same for all: nothing here checks the answer's digest, and the servers under test do not compare keys."""

END = b"\r\n\r\n"


def request(host: str, path: str, session: str = "") -> bytes:
    """`session` is the value of the cookie `sessionid`; empty: nobody is signed in."""
    lines = [
        f"GET {path} HTTP/1.1",
        f"Host: {host}",
        f"Origin: http://{host}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        f"Sec-WebSocket-Key: {KEY}",
        "Sec-WebSocket-Version: 13",
    ]
    if session:
        lines.append(f"Cookie: sessionid={session}")
    return "\r\n".join(lines).encode() + END


def status(head: bytes) -> int:
    """The status of an answer's first line; 0 where it has none."""
    word = head[9:12]
    return int(word) if head.startswith(b"HTTP/1.") and word.isdigit() else 0
