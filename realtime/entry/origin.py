"""Which pages may open live connections: those of this site. Checked before the upgrade.

The threat: a foreign page opens a socket with the visitor's cookie and reads what only the visitor
may. Browsers always name the page's origin in the handshake, and no page can forge it.
"""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from django.conf import settings
from django.http.request import validate_host


def is_own(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Whether the handshake comes from a page of this site: same host and port as were asked for."""
    found = {name: value.decode("latin-1") for name, value in headers if name in (b"origin", b"host")}
    origin = found.get(b"origin")
    if origin is None:
        return False
    try:
        page = urlsplit(origin)
        page_host, page_port = page.hostname, page.port
    except ValueError:
        return False
    if page.scheme not in ("http", "https") or not page_host:
        return False
    if origin in settings.CSRF_TRUSTED_ORIGINS:
        return True
    host, port = _host_and_port(found.get(b"host", ""))
    default = 443 if page.scheme == "https" else 80
    if host != page_host or (port or default) != (page_port or default):
        return False
    return validate_host(_bracketed(host), settings.ALLOWED_HOSTS)


def _host_and_port(host: str) -> tuple[str, int | None]:
    try:
        split = urlsplit(f"//{host}")
        return split.hostname or "", split.port
    except ValueError:
        return "", None


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
