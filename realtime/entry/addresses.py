"""Where a connection comes from, as far as limits are concerned.

Behind a proxy it is the address that the proxy names, and only if `FATHOM_TRUSTED_PROXIES` names the
proxy: the server program has put it into the scope by then (config.server). What anybody else
writes into such a header is not read.
"""

from __future__ import annotations

from typing import Any

from contest.addresses import limited


def limited_address(scope: dict[str, Any]) -> str | None:
    """The address that attempts are counted by; None: they are not."""
    client = scope.get("client")
    return limited(str(client[0])) if client else None
