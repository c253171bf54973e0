"""The staff console: one page from which the jury runs a contest, and the forms on it."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_GET

from contest.forms.staff import AnswerForm, NewNoticeForm, PackageForm, ScheduleForm
from contest.models import Clarification
from contest.selectors.clarifications import visible_clarifications
from contest.selectors.contests import registered_count
from contest.selectors.notices import ledger_counts, staff_notices
from contest.selectors.problems import visible_problems
from contest.services.clarifications import answer_clarification
from contest.services.errors import Refused
from contest.services.schedule import archive, change_schedule, show_final_standings
from contest.views.common import SeeOther, Visit, attempt, in_contest, refusal_status, staff_only, takes_form_of
from contest.views.pages import render_contest_page


def console_path(visit: Visit) -> str:
    return f"/staff/contests/{visit.contest.slug}/"


@require_GET
@in_contest
@staff_only
def console(visit: Visit) -> HttpResponse:
    return render_console(visit)


@takes_form_of("staff", "slug")
@in_contest
@staff_only
def answer(visit: Visit, clarification_id: int) -> HttpResponse:
    clarification = Clarification.objects.filter(contest=visit.contest, pk=clarification_id).first()
    if clarification is None:
        raise Http404("There is no such question in this contest.")
    form = AnswerForm(visit.request.POST)
    if not form.is_valid():
        return render_console(visit, answer_forms={clarification_id: form}, status=400)
    user, data = visit.require_user(), form.cleaned_data
    try:
        answer_clarification(clarification, user, answer=data["answer"], is_public=data["is_public"])
    except Refused as refused:
        form.add_error(None, refused.message)
        return render_console(visit, answer_forms={clarification_id: form}, status=refusal_status(refused))
    messages.success(visit.request, "The answer is sent.")
    return SeeOther(f"{console_path(visit)}#clarifications")


@takes_form_of("staff", "slug")
@in_contest
@staff_only
def schedule(visit: Visit) -> HttpResponse:
    form = ScheduleForm(visit.request.POST)
    if not form.is_valid():
        return render_console(visit, schedule_form=form, status=400)
    data = form.cleaned_data
    times = {name: data[name] for name in ("starts_at", "ends_at", "freeze_at")}
    try:
        change_schedule(visit.contest, visit.require_user(), **times)
    except Refused as refused:
        form.add_error(None, refused.message)
        return render_console(visit, schedule_form=form, status=refusal_status(refused))
    messages.success(visit.request, "The schedule is changed; open pages follow.")
    return SeeOther(f"{console_path(visit)}#schedule")


@takes_form_of("staff", "slug")
@in_contest
@staff_only
def unfreeze(visit: Visit) -> HttpResponse:
    user, contest = visit.require_user(), visit.contest
    return attempt(
        visit,
        lambda: show_final_standings(contest, user),
        "Everybody sees the final standings now.",
        f"{console_path(visit)}#schedule",
    )


@takes_form_of("staff", "slug")
@in_contest
@staff_only
def close(visit: Visit) -> HttpResponse:
    user, contest = visit.require_user(), visit.contest
    return attempt(visit, lambda: archive(contest, user), "The contest is closed.", f"{console_path(visit)}#schedule")


def render_console(
    visit: Visit,
    *,
    notice_form: NewNoticeForm | None = None,
    answer_forms: dict[int, AnswerForm] | None = None,
    schedule_form: ScheduleForm | None = None,
    package_form: PackageForm | None = None,
    status: int = 200,
) -> HttpResponse:
    """The console; forms that were refused come back with what was typed."""
    contest = visit.contest
    problems = visible_problems(contest, visit.rights)
    counts = ledger_counts(contest)
    context: dict[str, Any] = {
        "notice_form": notice_form or NewNoticeForm(contest, initial={"form_key": uuid.uuid4().hex, "level": "info"}),
        "notices": [(version, counts.get(version.notice_id, {})) for version in staff_notices(contest)],
        "contestants": registered_count(contest),
        "questions": _questions(visit, answer_forms or {}),
        "schedule_form": schedule_form or ScheduleForm(initial=_times(visit)),
        "package_form": package_form or PackageForm(contest),
        "problems": problems,
        "zone": timezone.get_current_timezone_name(),
    }
    return render_contest_page(visit, "staff/console.html", context, tab="staff", problems=problems, status=status)


def _questions(visit: Visit, bound: dict[int, AnswerForm]) -> list[tuple[Clarification, AnswerForm]]:
    """Unanswered first, oldest of them on top: nobody waits longest by accident."""
    rows = list(visible_clarifications(visit.contest, visit.rights))
    waiting = sorted((row for row in rows if row.answered_at is None), key=lambda row: row.asked_at)
    answered = [row for row in rows if row.answered_at is not None]
    return [(row, bound.get(row.pk) or _answer_form(row)) for row in [*waiting, *answered]]


def _answer_form(row: Clarification) -> AnswerForm:
    return AnswerForm(initial={"answer": row.answer, "is_public": row.is_public}, auto_id=f"id_%s_{row.pk}")


def _times(visit: Visit) -> dict[str, Any]:
    return {name: getattr(visit.contest, name) for name in ("starts_at", "ends_at", "freeze_at")}
