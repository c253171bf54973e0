"""Where a connection comes from, as far as limits are concerned.

Behind a proxy it is the address that the proxy names, and only if `FATHOM_TRUSTED_PROXIES` names the
proxy: the server program has put it into the scope by then (config.server). What anybody else
writes into such a header is not read.
"""

from __future__ import annotations

import ipaddress
from typing import Any


def limited_address(scope: dict[str, Any]) -> str | None:
    """The address that attempts are counted by; of IPv6 the network of one subscriber (/64).

    None where it says nothing about who comes: this machine itself, which is also where a proxy
    runs that nobody named as trusted, and then all the world would share one limit.
    """
    client = scope.get("client")
    if not client:
        return None
    try:
        address = ipaddress.ip_address(client[0])
    except ValueError:
        return str(client[0])[:64]
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is None:
            network = ipaddress.ip_network((int(address) >> 64 << 64, 64))
            return None if address.is_loopback else str(network)
        address = address.ipv4_mapped
    return None if address.is_loopback else str(address)
