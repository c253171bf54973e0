"""What ASGI does not offer: giving up a connection whose client reads nothing.

An ASGI `close` waits for the write buffer to drain, which never happens there. The server programs
(uvicorn, Daphne) hang their transport on the object behind `send`; where it is not found, the
operating system's own time-out has to do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def abort(send: Callable[..., Any]) -> bool:
    """Drop the connection behind `send` without waiting for anything. False: this server program has no handle."""
    protocol = getattr(send, "__self__", None)  # uvicorn: a bound method of the protocol
    arguments = getattr(send, "args", None)
    if arguments:  # Daphne: a partial of the server's handle_reply and the protocol
        protocol = arguments[0]
    transport = getattr(protocol, "transport", None)
    stop = getattr(transport, "abort", None) or getattr(transport, "abortConnection", None)
    if stop is None:
        return False
    stop()
    return True
