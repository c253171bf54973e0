"""The sockets of the site, bound before anything else is done: what hinders that is one sentence."""

from __future__ import annotations

import errno
import socket
from contextlib import ExitStack

from config.environment import BadEnvironment


def bind_listeners(host: str, port: int) -> list[socket.socket]:
    """Sockets bound to every address of `host`, not listening yet: who comes before the site is ready is turned away.

    Raises BadEnvironment, and then none stays open.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise BadEnvironment(f"FATHOM_HOST is {host!r}, which is no host name or address that can be found.") from error
    with ExitStack() as opened:
        sockets = [
            opened.enter_context(_bound(family, address, host, port))
            for family, address in dict.fromkeys((family, address) for family, _, _, _, address in found)
        ]
        opened.pop_all()
    return sockets


def _bound(family: int, address: tuple[object, ...], host: str, port: int) -> socket.socket:
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listener.bind(address)
        listener.setblocking(False)
    except OSError as error:
        listener.close()
        raise BadEnvironment(_why(error, host, port)) from error
    return listener


def _why(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"FATHOM_PORT {port} is in use at {host}: stop the program that listens there or choose another port."
    if error.errno == errno.EADDRNOTAVAIL:
        return f"FATHOM_HOST is {host!r}, which is no address of this machine."
    if error.errno in (errno.EACCES, errno.EPERM):
        return f"FATHOM_PORT {port} may not be opened by this user; choose one over 1023."
    return f"FATHOM_HOST {host} and FATHOM_PORT {port} cannot be bound: {error.strerror}."
