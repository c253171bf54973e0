"""Posting, editing and withdrawing notices, and the delivery ledger of each."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpResponse, JsonResponse
from django.views.decorators.http import require_GET, require_http_methods

from contest.forms.staff import NoticeForm
from contest.models import Notice
from contest.selectors.notices import ledger, present_ledger
from contest.services.errors import Refused
from contest.services.notices import edit_notice, post_notice, withdraw_notice
from contest.views.common import SeeOther, Visit, attempt, in_contest, refusal_status, staff_only
from contest.views.pages import render_contest_page
from contest.views.staff import console_path, render_console

PEOPLE_SHOWN = 300
"""On the page; `?format=json` has everybody. Who has not been reached comes first."""

COUNTS = (
    ("audience", "Addressed"),
    ("sent", "Sent"),
    ("delivered", "On a screen"),
    ("confirmed", "Confirmed"),
)
STAGES = ("waiting", "sent", "delivered", "confirmed")


@require_http_methods(["GET", "HEAD", "POST"])
@in_contest
@staff_only
def notices(visit: Visit) -> HttpResponse:
    """POST → the ledger of the new notice; GET → the console, where the notices are listed."""
    if visit.request.method != "POST":
        return SeeOther(f"{console_path(visit)}#notices")
    form = NoticeForm(visit.contest, visit.request.POST)
    if not form.is_valid():
        return render_console(visit, notice_form=form, status=400)
    try:
        notice = post_notice(visit.contest, visit.require_user(), **form.notice(), form_key=form.once_key())
    except Refused as refused:
        form.add_error(None, refused.message)
        return render_console(visit, notice_form=form, status=refusal_status(refused))
    return SeeOther(_path(visit, notice))


@require_GET
@in_contest
@staff_only
def notice_page(visit: Visit, notice_id: int) -> HttpResponse:
    found = ledger(_find(visit, notice_id))
    if visit.request.GET.get("format") == "json":
        return JsonResponse(present_ledger(found))
    people = sorted(found.deliveries, key=lambda row: STAGES.index(row.stage))
    context = {
        "ledger": found,
        "notice": found.notice,
        "version": found.version,
        "people": people[:PEOPLE_SHOWN],
        "stages": COUNTS,
        "more": max(0, len(people) - PEOPLE_SHOWN),
        "versions": found.notice.versions.select_related("posted_by", "problem"),
    }
    return render_contest_page(visit, "staff/notice.html", context, tab="staff")


@require_http_methods(["GET", "HEAD", "POST"])
@in_contest
@staff_only
def edit(visit: Visit, notice_id: int) -> HttpResponse:
    notice = _find(visit, notice_id)
    posted = visit.request.POST if visit.request.method == "POST" else None
    form = NoticeForm(visit.contest, posted, initial=_said(notice))
    status = 200
    if posted is not None:
        status = 400
        if form.is_valid():
            try:
                edit_notice(notice, visit.require_user(), **form.notice())
            except Refused as refused:
                form.add_error(None, refused.message)
                status = refusal_status(refused)
            else:
                messages.success(visit.request, "The notice is changed; who saw the old text is alerted again.")
                return SeeOther(_path(visit, notice))
    context = {"notice": notice, "form": form}
    return render_contest_page(visit, "staff/notice_edit.html", context, tab="staff", status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@in_contest
@staff_only
def withdraw(visit: Visit, notice_id: int) -> HttpResponse:
    """GET asks whether it is meant; POST does it."""
    notice, user = _find(visit, notice_id), visit.require_user()
    if visit.request.method == "POST":
        return attempt(visit, lambda: withdraw_notice(notice, user), "The notice is withdrawn.", _path(visit, notice))
    context = {"notice": notice, "title": _said(notice)["title"]}
    return render_contest_page(visit, "staff/notice_withdraw.html", context, tab="staff")


def _path(visit: Visit, notice: Notice) -> str:
    return f"{console_path(visit)}notices/{notice.pk}/"


def _find(visit: Visit, notice_id: int) -> Notice:
    notice = Notice.objects.filter(contest=visit.contest, pk=notice_id).first()
    if notice is None:
        raise Http404("There is no such notice in this contest.")
    notice.contest = visit.contest
    return notice


def _said(notice: Notice) -> dict[str, object]:
    """The current text, as the form's initial values."""
    version = notice.versions.select_related("problem").order_by("-version")[0]
    return {
        "title": version.title,
        "body": version.body,
        "level": version.level,
        "requires_ack": version.requires_ack,
        "problem": version.problem.label if version.problem else None,
    }
