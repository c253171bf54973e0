"""What every peer understands: a text frame with a number asks it to send so many bytes to all its connections."""

from __future__ import annotations

READY = "ready"
"""What a peer prints, on a line of its own, when it accepts connections."""


def wanted_bytes(text: str) -> int:
    """The size that a client asks for. Raises ValueError for anything else."""
    return int(text)


def message(size_bytes: int) -> str:
    """A JSON object of `size_bytes` in UTF-8, at least 32."""
    head, tail = '{"type":"event","html":"', '"}'
    return f"{head}{'x' * (size_bytes - len(head) - len(tail))}{tail}"
