"""The contest list."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from contest.selectors.contests import contest_list


def home(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    text = request.GET.get("page", "1")
    page = int(text) if text.isascii() and text.isdigit() and 0 < int(text) < 10_000 else 1
    found = contest_list(request.user, now, page)
    return render(request, "contests/list.html", {"found": found, "page": page, "now": now})
