"""By which address somebody is counted."""

from __future__ import annotations

import ipaddress


def limited(text: str) -> str | None:
    """The address that attempts are counted by; of IPv6 the network of one subscriber (/64).

    None where it says nothing about who comes: this machine itself, which is also where a proxy
    runs that nobody named as trusted, and then all the world would share one limit.
    """
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return text[:64]
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is None:
            network = ipaddress.ip_network((int(address) >> 64 << 64, 64))
            return None if address.is_loopback else str(network)
        address = address.ipv4_mapped
    return None if address.is_loopback else str(address)
