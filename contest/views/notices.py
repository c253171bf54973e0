"""Posting, editing and withdrawing notices, and the delivery ledger of each."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpResponse, JsonResponse
from django.views.decorators.http import require_GET, require_http_methods

from contest.forms.staff import NewNoticeForm, NoticeForm
from contest.models import Notice
from contest.selectors.ledger import Show, ledger, present_ledger
from contest.services.errors import Refused
from contest.services.notices import edit_notice, post_again, post_notice, withdraw_notice
from contest.views.asked import form_errors_json, wants_json
from contest.views.common import (
    SeeOther,
    Visit,
    attempt,
    done,
    in_contest,
    refusal_status,
    staff_only,
    takes_form_of,
    whole_number,
)
from contest.views.pages import render_contest_page
from contest.views.staff import console_path, render_console

COUNTS = (
    ("audience", "Posted to"),
    ("sent", "Sent"),
    ("delivered", "Seen"),
    ("confirmed", "Confirmed"),
    ("connected", "Connected"),
    ("behind", "Behind"),
)
SHOWN = (
    (Show.ALL, "everybody"),
    (Show.UNSEEN, "not seen"),
    (Show.AWAY, "not seen, and away"),
    (Show.UNCONFIRMED, "not confirmed"),
)


@require_http_methods(["GET", "HEAD", "POST"])
@in_contest
@staff_only
def notices(visit: Visit) -> HttpResponse:
    """POST → the ledger of the new notice; GET → the console, where the notices are listed."""
    if visit.request.method != "POST":
        return SeeOther(f"{console_path(visit)}#notices")
    form = NewNoticeForm(visit.contest, visit.request.POST)
    if not form.is_valid():
        return _refused(visit, form, 400)
    try:
        notice = post_notice(visit.contest, visit.require_user(), **form.notice(), form_key=form.once_key())
    except Refused as refused:
        form.add_error(None, refused.message)
        return _refused(visit, form, refusal_status(refused))
    return done(visit.request, _path(visit, notice))


def _refused(visit: Visit, form: NewNoticeForm, status: int) -> HttpResponse:
    if wants_json(visit.request):
        return form_errors_json(form, status)
    return render_console(visit, notice_form=form, status=status)


@require_GET
@in_contest
@staff_only
def notice_page(visit: Visit, notice_id: int) -> HttpResponse:
    """The ledger. `?show=` and `?page=` choose the people; the JSON without `?page=` has all of them."""
    given = visit.request.GET
    show = next((each for each in Show if each == given.get("show")), Show.ALL)
    page = whole_number(given.get("page", ""))
    if given.get("format") == "json":
        return JsonResponse(present_ledger(ledger(_find(visit, notice_id), show, page)))
    found = ledger(_find(visit, notice_id), show, page or 1)
    context = {
        "ledger": found,
        "notice": found.notice,
        "version": found.version,
        "counts": [(name, label, found.counts[name]) for name, label in COUNTS],
        "shown": SHOWN,
        "versions": found.notice.versions.select_related("posted_by", "problem"),
        "unseen": found.counts["audience"] - found.counts["delivered"],
    }
    return render_contest_page(visit, "staff/notice.html", context, tab="staff")


@takes_form_of("staff-notice", "slug", "notice_id")
@in_contest
@staff_only
def again(visit: Visit, notice_id: int) -> HttpResponse:
    notice, user = _find(visit, notice_id), visit.require_user()
    return attempt(
        visit,
        lambda: post_again(notice, user),
        "It is posted again to those who had not seen it.",
        f"{_path(visit, notice)}#ledger",
    )


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
    version = notice.last_text()
    return {
        "title": version.title,
        "body": version.body,
        "level": version.level,
        "requires_ack": version.requires_ack,
        "problem": version.problem.label if version.problem else None,
    }
