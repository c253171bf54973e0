"""How many accounts are made from one address.

The threat: a script that fills the site with accounts, each of which may open live connections and send
submissions. Counted are forms that would make one, in this process; who only mistypes is not counted.
"""

from __future__ import annotations

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest

from contest.addresses import limited

HOUR_S = 3600


def may_open_account(request: HttpRequest) -> bool:
    """Count one account, unless its address has made as many as it may in the hour that began with the first."""
    most = settings.FATHOM.limits.address_accounts_per_h
    address = limited(request.META.get("REMOTE_ADDR", ""))
    if not most or not address:
        return True
    key = f"accounts-from-{address}"
    cache.add(key, 0, timeout=HOUR_S)
    return int(cache.incr(key)) <= most
