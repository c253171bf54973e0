"""A problem: its statement, its files, and submitting to it."""

from __future__ import annotations

import math
import uuid
from typing import Any

from django.http import Http404, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_GET

from contest.access import Rights
from contest.forms.submitting import SubmitForm
from contest.models import Problem
from contest.selectors.problems import find_problem, find_sample, samples
from contest.selectors.records import latest_own
from contest.services.errors import Refused
from contest.services.records import submit as submit_record
from contest.services.selftests import OUTPUT_LIMIT_BYTES, RUN_CPU_MS, RUN_MEMORY_KB, RUN_WALL_MS
from contest.statements import statement_for, wanted_languages
from contest.streams import StreamName
from contest.views.asked import form_errors_json, wants_json
from contest.views.common import Visit, done, in_contest, problem_or_404, refusal_status, signed_in, takes_form_of
from contest.views.files import blob_response, find_blob, image_response
from contest.views.pages import render_contest_page


@require_GET
@in_contest
def problem_page(visit: Visit, label: str) -> HttpResponse:
    return _page(visit, _find(visit, label), SubmitForm())


@takes_form_of("problem", "slug", "label")
@in_contest
@signed_in
def submit(visit: Visit, label: str) -> HttpResponse:
    """→ the record's page. What is refused comes back with the typed text still in its place.

    A page's script asks for JSON: 201 with the `location` of the record, or what was refused, in words.
    """
    problem = _find(visit, label)
    form = SubmitForm(visit.request.POST, visit.request.FILES)
    if not form.is_valid():
        return _refused(visit, problem, form, 400)
    data = form.cleaned_data
    try:
        record = submit_record(
            problem,
            visit.require_user(),
            language=data["language"],
            source=data["source"],
            idempotency_key=data["idempotency_key"],
        )
    except Refused as refused:
        form.add_error(None, refused.message)
        page = _refused(visit, problem, form, refusal_status(refused))
        if refused.retry_after_ms is not None:
            page["Retry-After"] = str(math.ceil(refused.retry_after_ms / 1000))
        return page
    return done(visit.request, record.get_absolute_url())


@require_GET
@in_contest
def statement_pdf(visit: Visit, label: str) -> HttpResponse:
    package = _find(visit, label).package
    if package is None or package.statement_pdf_id is None:
        raise Http404("This problem has no statement as PDF.")
    return blob_response(visit.request, find_blob(package.statement_pdf_id), "application/pdf", f"{label}.pdf")


@require_GET
@in_contest
def image(visit: Visit, label: str, name: str) -> HttpResponse:
    package = _find(visit, label).package
    digest = package.images.get(name) if package else None
    if digest is None:
        raise Http404("This problem has no image of that name.")
    return image_response(visit.request, digest, name)


@require_GET
@in_contest
def sample_file(visit: Visit, label: str, index: int, kind: str) -> HttpResponse:
    test = find_sample(_find(visit, label), index)
    if test is None:
        raise Http404("This problem has no such sample.")
    blob, ending = (test.input, "in") if kind == "input" else (test.answer, "ans")
    return blob_response(visit.request, blob, "text/plain; charset=utf-8", f"{label}-{index}.{ending}", download=True)


def _find(visit: Visit, label: str) -> Problem:
    return problem_or_404(find_problem(visit.contest, visit.rights, label))


def _refused(visit: Visit, problem: Problem, form: SubmitForm, status: int) -> HttpResponse:
    if wants_json(visit.request):
        return form_errors_json(form, status)
    return _page(visit, problem, form, status=status)


def _page(visit: Visit, problem: Problem, form: SubmitForm, status: int = 200) -> HttpResponse:
    base = reverse("problem", args=[visit.contest.slug, problem.label])
    context: dict[str, Any] = {
        "problem": problem,
        "package": problem.package,
        "statement": statement_for(problem, wanted_languages(visit.request), image_base=f"{base}images/"),
        "samples": samples(problem),
        "form": form,
        "form_key": uuid.uuid4().hex,
        "question": {"problem": problem.label},
        "selftest": {
            "RUN_CPU_MS": RUN_CPU_MS,
            "RUN_WALL_MS": RUN_WALL_MS,
            "RUN_MEMORY_KB": RUN_MEMORY_KB,
            "SIZE_KIB": OUTPUT_LIMIT_BYTES // 1024,
        },
        "latest": latest_own(visit.contest, visit.rights, problem.pk),
    }
    return render_contest_page(
        visit, "contests/problem.html", context, tab=problem.label, streams=_streams(visit.rights), status=status
    )


def _streams(rights: Rights) -> list[StreamName]:
    """Own records only where the stream carries nobody else's: staff would follow the whole contest here."""
    if not rights.has_workbench:
        return []
    return [StreamName.SELFTEST] if rights.sees_all_records else [StreamName.SELFTEST, StreamName.RECORDS]
