"""Judging again, for the jury: choose, see how many it is, confirm, and watch how far it is."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from contest.forms.keys import with_once_key
from contest.forms.schedule import RejudgeForm
from contest.models import Problem, Record, Rejudging
from contest.selectors.problems import find_problem
from contest.selectors.records import find_record
from contest.selectors.rejudging import rejudgeable, rejudgings
from contest.services.errors import Refused
from contest.services.rejudging import final_records, rejudge_problem, rejudge_record
from contest.views.common import (
    SeeOther,
    Visit,
    in_contest,
    problem_or_404,
    refusal_status,
    staff_only,
    whole_number,
)
from contest.views.pages import render_contest_page

Chosen = Problem | Record | None


@require_http_methods(["GET", "HEAD", "POST"])
@in_contest
@staff_only
def rejudging(visit: Visit) -> HttpResponse:
    """`?problem=A` or `?record=5` asks whether it is meant; POST does it."""
    if visit.request.method != "POST":
        return _page(visit, _chosen(visit, visit.request.GET.dict()), RejudgeForm())
    chosen = _chosen(visit, visit.request.POST.dict())
    form = RejudgeForm(visit.request.POST)
    if chosen is None or not form.is_valid():
        return _page(visit, chosen, form, 400)
    try:
        made = _rejudge(visit, chosen, with_once_key(form, type(chosen).__name__, chosen.pk))
    except Refused as refused:
        form.add_error(None, refused.message)
        return _page(visit, chosen, form, refusal_status(refused))
    messages.success(
        visit.request, f"{made.total} record{' was' if made.total == 1 else 's were'} sent to be judged again."
    )
    return SeeOther(reverse("staff-rejudge", args=[visit.contest.slug]))


def _rejudge(visit: Visit, chosen: Problem | Record, data: dict[str, Any]) -> Rejudging:
    user, why = visit.require_user(), (data["reason"], data["once_key"])
    return rejudge_record(chosen, user, *why) if isinstance(chosen, Record) else rejudge_problem(chosen, user, *why)


def _chosen(visit: Visit, given: dict[str, str]) -> Chosen:
    """What the address or the form names; a record of another contest is none."""
    if given.get("problem"):
        return problem_or_404(find_problem(visit.contest, visit.rights, given["problem"][:8].replace("\x00", "")))
    number = whole_number(given.get("record", ""))
    record = find_record(number) if number is not None else None
    if record is None or record.contest_id != visit.contest.pk or record.purpose == Record.Purpose.PACKAGE:
        return None
    return record


def _page(visit: Visit, chosen: Chosen, form: RejudgeForm, status: int = 200) -> HttpResponse:
    context: dict[str, Any] = {
        "rejudgings": rejudgings(visit.contest),
        "problems_to_judge": rejudgeable(visit.contest),
        "problem": chosen if isinstance(chosen, Problem) else None,
        "record": chosen if isinstance(chosen, Record) else None,
        "count": final_records(chosen).count() if isinstance(chosen, Problem) else 1,
        "form": form,
        "section": "rejudge",
    }
    return render_contest_page(visit, "staff/rejudge.html", context, tab="staff", status=status)
