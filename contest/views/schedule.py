"""The times of a contest in the hands of the jury: one page with all actions, and the history of what was done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from contest.forms.keys import with_once_key
from contest.forms.schedule import MinutesForm, ReasonForm, RegistrationForm, ScheduleForm, VisibilityForm
from contest.models import Contest, User
from contest.selectors.audit import history
from contest.services.errors import Refused
from contest.services.pauses import pause, resume
from contest.services.schedule import archive, change_schedule, end_now, extend, shift, show_final_standings
from contest.services.settings import set_registration, set_visibility
from contest.views.common import SeeOther, Visit, attempt, in_contest, refusal_status, staff_only, takes_form_of
from contest.views.pages import render_contest_page

Act = Callable[[Contest, User, dict[str, Any]], object]


@dataclass(frozen=True)
class Action:
    """A form, what is done with its data, and what is said then."""

    form: type[forms.Form]
    act: Act
    done: str


ACTIONS = {
    "extend": Action(
        MinutesForm,
        lambda contest, user, data: extend(contest, user, data["minutes"], data["reason"], data["once_key"]),
        "The end is moved; open pages follow.",
    ),
    "shift": Action(
        MinutesForm,
        lambda contest, user, data: shift(contest, user, data["minutes"], data["reason"], data["once_key"]),
        "The contest is moved; open pages follow.",
    ),
    "pause": Action(
        ReasonForm,
        lambda contest, user, data: pause(contest, user, data["reason"]),
        "The contest is paused. Its clock stands still until you let it go on.",
    ),
    "resume": Action(
        ReasonForm,
        lambda contest, user, data: resume(contest, user, data["reason"]),
        "The contest goes on; its end is later by the length of the pause.",
    ),
    "end": Action(
        ReasonForm, lambda contest, user, data: end_now(contest, user, data["reason"]), "The contest is over."
    ),
    "visibility": Action(
        VisibilityForm,
        lambda contest, user, data: set_visibility(contest, user, data["visibility"], data["reason"]),
        "Saved. Whoever may not see the contest any more is cut off at once.",
    ),
    "registration": Action(
        RegistrationForm, lambda contest, user, data: set_registration(contest, user, is_open=data["is_open"]), "Saved."
    ),
}


@require_http_methods(["GET", "HEAD", "POST"])
@in_contest
@staff_only
def schedule(visit: Visit) -> HttpResponse:
    """GET: the page; POST: the times as they were typed."""
    if visit.request.method != "POST":
        return render_schedule(visit)
    form = ScheduleForm(visit.request.POST)
    return _do(visit, "times", form, _change, "The schedule is changed; open pages follow.")


@takes_form_of("staff-schedule", "slug")
@in_contest
@staff_only
def act(visit: Visit, action: str) -> HttpResponse:
    found = ACTIONS.get(action)
    if found is None:
        raise Http404("There is no such action.")
    return _do(visit, action, found.form(visit.request.POST), found.act, found.done)


@takes_form_of("staff-schedule", "slug")
@in_contest
@staff_only
def unfreeze(visit: Visit) -> HttpResponse:
    user, contest = visit.require_user(), visit.contest
    done = "Everybody sees the final standings now."
    return attempt(visit, lambda: show_final_standings(contest, user), done, _path(visit))


@takes_form_of("staff-schedule", "slug")
@in_contest
@staff_only
def close(visit: Visit) -> HttpResponse:
    user, contest = visit.require_user(), visit.contest
    return attempt(visit, lambda: archive(contest, user), "The contest is closed.", _path(visit))


def schedule_forms(visit: Visit) -> dict[str, forms.Form]:
    """A fresh form for each action; `auto_id` keeps their fields apart on one page."""
    initial = {"visibility": visit.contest.visibility, "is_open": visit.contest.registration_open}
    fresh: dict[str, forms.Form] = {
        name: action.form(initial=initial, auto_id=f"id_{name}_%s") for name, action in ACTIONS.items()
    }
    times = {name: getattr(visit.contest, name) for name in ("starts_at", "ends_at", "freeze_at")}
    return {**fresh, "times": ScheduleForm(initial=times, auto_id="id_times_%s")}


def render_schedule(visit: Visit, refused: dict[str, forms.Form] | None = None, status: int = 200) -> HttpResponse:
    context = {
        "forms": {**schedule_forms(visit), **(refused or {})},
        "history": history(visit.contest),
        "zone": timezone.get_current_timezone_name(),
        "section": "schedule",
    }
    return render_contest_page(visit, "staff/schedule.html", context, tab="staff", status=status)


def _do(visit: Visit, name: str, form: forms.Form, act: Act, done: str) -> HttpResponse:
    """What was typed comes back with the reason where it is refused."""
    form.auto_id = f"id_{name}_%s"
    if not form.is_valid():
        return render_schedule(visit, {name: form}, 400)
    try:
        act(visit.contest, visit.require_user(), with_once_key(form, visit.contest.pk, name))
    except Refused as refused:
        form.add_error(None, refused.message)
        return render_schedule(visit, {name: form}, refusal_status(refused))
    messages.success(visit.request, done)
    return SeeOther(_path(visit))


def _change(contest: Contest, user: User, data: dict[str, Any]) -> object:
    data.pop("once_key")  # the same times again change nothing
    return change_schedule(contest, user, **data)


def _path(visit: Visit) -> str:
    return f"/staff/contests/{visit.contest.slug}/schedule/"
