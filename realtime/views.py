"""Health, readiness and measurements."""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
from concurrent.futures import Future

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from realtime import database
from realtime.node.node import failed_loops, is_draining

ANSWER_S = 2.0
"""A database that takes longer than this to say 1 is away."""
OF_PROXIES = frozenset(
    {"Forwarded", "Via", "X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip", "True-Client-Ip", "Cf-Connecting-Ip"}
)
"""With any of these, or an `X-Forwarded-…`, whoever asks is not on this machine, though the proxy is."""


@require_safe
@never_cache
@login_not_required
def healthz(request: HttpRequest) -> HttpResponse:
    """The process runs."""
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
@never_cache
@login_not_required
async def readyz(request: HttpRequest) -> HttpResponse:
    """New connections are taken: not while this node drains, nor while one of its loops does not run, nor while the
    database is away or hangs."""
    if is_draining():
        return _not_now("draining")
    if failed := failed_loops():
        return _not_now(f"failed on this node: {', '.join(failed)}")
    if not await _probe.answers():
        return _not_now("the database is away")
    return HttpResponse("ready\n", content_type="text/plain")


def _not_now(why: str) -> HttpResponse:
    """An answer like any other, asked for every few seconds: no line in the log for each."""
    response = HttpResponse(f"{why}\n", status=503, content_type="text/plain")
    vars(response)["_has_been_logged"] = True  # Django logs every 5xx that does not say so
    return response


class _Probe:
    """Asks the database from a thread of its own, one question at a time: one that hangs is not joined by others."""

    def __init__(self) -> None:
        self._question: Future[None] | None = None

    async def answers(self) -> bool:
        if self._question is None or self._question.done():
            self._question = database.submit(database.readiness, _say_one)
        asked = asyncio.wrap_future(self._question)
        asked.add_done_callback(lambda each: each.cancelled() or each.exception())  # nobody may wait for it any more
        done, _ = await asyncio.wait([asked], timeout=ANSWER_S)
        return bool(done) and asked.exception() is None


_probe = _Probe()


def _say_one() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


@require_safe
@never_cache
@login_not_required
def metrics(request: HttpRequest) -> HttpResponse:
    if not _may_read_metrics(request):
        return HttpResponse("not from here\n", status=403, content_type="text/plain")
    return HttpResponse(generate_latest(), content_type=CONTENT_TYPE_LATEST)


def _may_read_metrics(request: HttpRequest) -> bool:
    """With the token; where none is set, from this machine, and not through a proxy on it."""
    token = settings.FATHOM.metrics_token
    if token:
        given = request.headers.get("Authorization", "").removeprefix("Bearer ")
        return hmac.compare_digest(given.encode(), token.encode())
    if any(name.startswith("X-Forwarded-") or name in OF_PROXIES for name in request.headers):
        return False
    try:
        return ipaddress.ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False
