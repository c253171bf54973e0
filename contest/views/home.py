"""The contest list."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from contest.access import EXCLUDED
from contest.selectors.contests import contest_list
from contest.views.common import whole_number


def home(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    wanted = whole_number(request.GET.get("page", "1"))
    page = wanted if wanted is not None and 0 < wanted < 10_000 else 1
    found = contest_list(request.user, now, page)
    shown = {"found": found, "page": page, "now": now, "excluded_words": EXCLUDED}
    return render(request, "contests/list.html", shown)
