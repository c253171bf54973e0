"""The staff console: one page from which the jury runs a contest, and the forms on it."""

from __future__ import annotations

import uuid
from typing import Any

from django.http import HttpResponse
from django.views.decorators.http import require_GET

from contest.forms.staff import AnswerForm, NewNoticeForm, PackageForm, TemplatesForm
from contest.models import Clarification
from contest.selectors.clarifications import visible_clarifications
from contest.selectors.contests import registered_count
from contest.selectors.notices import ledger_counts, staff_notices
from contest.selectors.problems import visible_problems
from contest.views.common import Visit, in_contest, staff_only
from contest.views.pages import render_contest_page
from contest.views.schedule import schedule_forms


def console_path(visit: Visit) -> str:
    return f"/staff/contests/{visit.contest.slug}/"


@require_GET
@in_contest
@staff_only
def console(visit: Visit) -> HttpResponse:
    return render_console(visit)


def render_console(
    visit: Visit,
    *,
    notice_form: NewNoticeForm | None = None,
    answer_forms: dict[int, AnswerForm] | None = None,
    templates_form: TemplatesForm | None = None,
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
        "templates_form": templates_form or TemplatesForm(initial={"answers": "\n".join(contest.answer_templates)}),
        "forms": schedule_forms(visit),
        "package_form": package_form or PackageForm(contest),
        "problems": problems,
        "section": "console",
    }
    return render_contest_page(visit, "staff/console.html", context, tab="staff", problems=problems, status=status)


def _questions(visit: Visit, bound: dict[int, AnswerForm]) -> list[tuple[Clarification, AnswerForm, bool]]:
    """Unanswered first, oldest of them on top: nobody waits longest by accident. With the form for each, and whether
    another answer came while it was filled in."""
    rows = list(visible_clarifications(visit.contest, visit.rights))
    waiting = sorted((row for row in rows if row.answered_at is None), key=lambda row: row.asked_at)
    answered = [row for row in rows if row.answered_at is not None]
    rows = [*waiting, *answered]
    forms = {row.pk: bound.get(row.pk) or answer_form(row) for row in rows}
    return [(row, forms[row.pk], forms[row.pk].is_overtaken(row.version)) for row in rows]


def answer_form(row: Clarification) -> AnswerForm:
    initial = {"answer": row.answer, "is_public": row.is_public, "version": row.version}
    return AnswerForm(initial=initial, auto_id=f"id_%s_{row.pk}")
