"""Health, readiness and measurements."""

from __future__ import annotations

import hmac
import ipaddress

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from realtime.node.node import is_draining


@require_safe
@never_cache
@login_not_required
def healthz(request: HttpRequest) -> HttpResponse:
    """The process runs."""
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
@never_cache
@login_not_required
def readyz(request: HttpRequest) -> HttpResponse:
    """New connections are taken: not while this node drains, nor while the database is away."""
    if is_draining():
        return HttpResponse("draining\n", status=503, content_type="text/plain")
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return HttpResponse("the database is away\n", status=503, content_type="text/plain")
    return HttpResponse("ready\n", content_type="text/plain")


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
    if "X-Forwarded-For" in request.headers or "Forwarded" in request.headers:
        return False
    try:
        return ipaddress.ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False
