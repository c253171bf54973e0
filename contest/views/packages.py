"""Problems for the jury: uploading a package, what its import said, and showing the problem to contestants."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.views.decorators.http import require_GET

from contest.forms.staff import PackageForm
from contest.models import Problem
from contest.selectors.packages import current_version, package_report, package_versions
from contest.selectors.problems import find_problem
from contest.services.errors import Refused
from contest.services.packages import import_package
from contest.services.problems import delete_draft, hide_problem, publish_problem
from contest.views.common import (
    SeeOther,
    Visit,
    attempt,
    in_contest,
    problem_or_404,
    refusal_status,
    staff_only,
    takes_form_of,
)
from contest.views.pages import render_contest_page
from contest.views.staff import console_path, render_console


@takes_form_of("staff", "slug")
@in_contest
@staff_only
def upload(visit: Visit) -> HttpResponse:
    """→ the report of the import. A package that is refused changes nothing, and the reason is a sentence."""
    form = PackageForm(visit.contest, visit.request.POST, visit.request.FILES)
    if not form.is_valid():
        return render_console(visit, package_form=form, status=400)
    label, file = form.cleaned_data["label"], form.cleaned_data["package"]
    before = current_version(visit.contest, label)
    try:
        package = import_package(file, visit.contest, label, visit.require_user())
    except Refused as refused:
        form.add_error("package", refused.message)
        return render_console(visit, package_form=form, status=refusal_status(refused))
    if package.version == before:
        messages.info(
            visit.request, f"This is the package of version {before} of problem {label}: no new version is made."
        )
    else:
        messages.success(visit.request, f"The package is imported as version {package.version} of problem {label}.")
    return SeeOther(_path(visit, label))


@require_GET
@in_contest
@staff_only
def report(visit: Visit, label: str) -> HttpResponse:
    problem = _find(visit, label)
    context = {
        "problem": problem,
        "package": problem.package,
        "report": package_report(problem.package) if problem.package else None,
        "versions": package_versions(problem),
    }
    return render_contest_page(visit, "staff/problem.html", context, tab="staff")


@takes_form_of("staff-problem", "slug", "label")
@in_contest
@staff_only
def show(visit: Visit, label: str) -> HttpResponse:
    problem, user = _find(visit, label), visit.require_user()
    return attempt(visit, lambda: publish_problem(problem, user), "Contestants see this problem.", _path(visit, label))


@takes_form_of("staff-problem", "slug", "label")
@in_contest
@staff_only
def hide(visit: Visit, label: str) -> HttpResponse:
    problem, user = _find(visit, label), visit.require_user()
    return attempt(visit, lambda: hide_problem(problem, user), "Only the jury sees this problem.", _path(visit, label))


@takes_form_of("staff-problem", "slug", "label")
@in_contest
@staff_only
def delete(visit: Visit, label: str) -> HttpResponse:
    problem = _find(visit, label)
    try:
        delete_draft(problem, visit.require_user())
    except Refused as refused:
        messages.error(visit.request, refused.message)
        return SeeOther(_path(visit, label))
    messages.success(visit.request, f"Problem {label} is deleted.")
    return SeeOther(f"{console_path(visit)}#problems")


def _find(visit: Visit, label: str) -> Problem:
    return problem_or_404(find_problem(visit.contest, visit.rights, label))


def _path(visit: Visit, label: str) -> str:
    return f"{console_path(visit)}problems/{label}/"
