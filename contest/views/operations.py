"""For operators: what waits for the judges, what each of them holds, and which nodes there are."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from contest.access import is_operator
from contest.ports import living_judges, read_nodes
from contest.selectors import operations as selector


@require_GET
@login_required
def operations(request: HttpRequest) -> HttpResponse:
    if not is_operator(request.user):
        raise PermissionDenied("This page is for the operators of the site.")
    context = {"state": selector.operations(timezone.now()), "nodes": read_nodes(), "judges": living_judges()}
    return render(request, "staff/operations.html", context)
