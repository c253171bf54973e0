"""Short HTTP answers and who may use both addresses: what Django does for pages and nobody does here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from realtime.entry import origin

Headers = Iterable[tuple[bytes, bytes]]

OWN_SITES = (b"same-origin", b"none")
"""`none`: an address that a person typed, or a program that is no page."""


async def answer(
    send: Any, status: int, body: bytes, kind: bytes = b"text/plain; charset=utf-8", allow: bytes = b""
) -> None:
    """`allow`: the methods of this address, where it was asked by another (RFC 9110, 15.5.6)."""
    headers = [
        (b"content-type", kind),
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
        (b"content-length", str(len(body)).encode()),
    ]
    if allow:
        headers.append((b"allow", allow))
    if status >= 400:
        headers.append((b"connection", b"close"))  # what is left of its body is not read
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def is_from_own_page(headers: Headers) -> bool:
    """Whether a request for an event stream may come from a page of this site. A browser hides the answer from
    a foreign page by itself; this keeps such a page from opening streams in the visitor's name at all."""
    named = {name: value for name, value in headers if name in (b"origin", b"sec-fetch-site")}
    if named.get(b"sec-fetch-site", b"none") not in OWN_SITES:
        return False
    return b"origin" not in named or origin.is_own(headers)
