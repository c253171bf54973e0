"""The contestants of a contest in the hands of the jury: extra time, exclusion, registration; each with its reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_GET

from contest.forms.keys import with_once_key
from contest.forms.people import EnterForm, ExtraTimeForm, PersonForm
from contest.models import Participation, User
from contest.ports import read_own_time_ms, read_presence
from contest.selectors.audit import history
from contest.selectors.people import PeopleFilter, find_participation, people
from contest.services.errors import Refused
from contest.services.registration import ban, enter, readmit, remove
from contest.services.schedule import grant_extra_time
from contest.views.common import (
    SeeOther,
    Visit,
    in_contest,
    refusal_status,
    staff_only,
    takes_form_of,
    whole_number,
)
from contest.views.pages import render_contest_page

Act = Callable[[Participation, User, dict[str, Any]], object]

ACTIONS: dict[str, tuple[type[forms.Form], Act, str]] = {
    "extra-time": (
        ExtraTimeForm,
        lambda row, by, data: grant_extra_time(row, by, data["minutes"] * 60, data["reason"], data["once_key"]),
        "Saved; their open pages follow.",
    ),
    "exclude": (
        PersonForm,
        lambda row, by, data: ban(row.contest, row.user, by, data["reason"]),
        "They are excluded; their open pages are cut off and say so.",
    ),
    "readmit": (
        PersonForm,
        lambda row, by, data: readmit(row.contest, row.user, by, data["reason"]),
        "They are back in; their records count again.",
    ),
    "remove": (
        PersonForm,
        lambda row, by, data: remove(row.contest, row.user, by, data["reason"]),
        "The registration is removed.",
    ),
}


@require_GET
@in_contest
@staff_only
def contestants(visit: Visit) -> HttpResponse:
    return _list(visit, EnterForm())


@takes_form_of("staff-people", "slug")
@in_contest
@staff_only
def register_somebody(visit: Visit) -> HttpResponse:
    form = EnterForm(visit.request.POST)
    if not form.is_valid():
        return _list(visit, form, 400)
    user = User.objects.filter(username=form.cleaned_data["username"]).first()
    if user is None:
        form.add_error("username", "There is no account of this name.")
        return _list(visit, form, 404)
    try:
        enter(visit.contest, user, visit.require_user())
    except Refused as refused:
        form.add_error("username", refused.message)
        return _list(visit, form, refusal_status(refused))
    messages.success(visit.request, f"{user.shown_name} is registered.")
    return SeeOther(_path(visit, user.pk))


@require_GET
@in_contest
@staff_only
def contestant(visit: Visit, user_id: int) -> HttpResponse:
    return _page(visit, _find(visit, user_id))


@takes_form_of("staff-person", "slug", "user_id")
@in_contest
@staff_only
def act(visit: Visit, user_id: int, action: str) -> HttpResponse:
    row = _find(visit, user_id)
    if action not in ACTIONS:
        raise Http404("There is no such action.")
    form_class, do, done = ACTIONS[action]
    form = form_class(visit.request.POST, auto_id=f"id_{action}_%s")
    if not form.is_valid():
        return _page(visit, row, {action: form}, 400)
    try:
        do(row, visit.require_user(), with_once_key(form, row.pk, action))
    except Refused as refused:
        form.add_error(None, refused.message)
        return _page(visit, row, {action: form}, refusal_status(refused))
    messages.success(visit.request, done)
    return SeeOther(reverse("staff-people", args=[visit.contest.slug]) if action == "remove" else _path(visit, user_id))


def _list(visit: Visit, form: EnterForm, status: int = 200) -> HttpResponse:
    get = visit.request.GET
    chosen = PeopleFilter(get.get("text", "").replace("\x00", "")[:150], get.get("only", "")[:8])
    page = people(visit.contest, chosen, whole_number(get.get("page", "")) or 1)
    presence = read_presence(visit.contest.pk, [row.user_id for row in page])
    context = {
        "page": page,
        "lines": [(row, presence.get(row.user_id)) for row in page],
        "chosen": chosen,
        "enter_form": form,
        "section": "people",
    }
    return render_contest_page(visit, "staff/people.html", context, tab="staff", status=status)


def _page(
    visit: Visit, row: Participation, refused: dict[str, forms.Form] | None = None, status: int = 200
) -> HttpResponse:
    fresh = {name: form(auto_id=f"id_{name}_%s") for name, (form, _, _) in ACTIONS.items()}
    by_name = {name.replace("-", "_"): form for name, form in {**fresh, **(refused or {})}.items()}
    context = {
        "row": row,
        "forms": by_name,
        "own_time_ms": read_own_time_ms(visit.contest.pk, row.user_id),
        "history": history(visit.contest, row.user),
        "section": "people",
    }
    return render_contest_page(visit, "staff/person.html", context, tab="staff", status=status)


def _find(visit: Visit, user_id: int) -> Participation:
    row = find_participation(visit.contest, user_id)
    if row is None:
        raise Http404("Nobody of this number takes part in this contest.")
    return row


def _path(visit: Visit, user_id: int) -> str:
    return reverse("staff-person", args=[visit.contest.slug, user_id])
