"""The page of a contest and what one does there: take part, ask, confirm notices."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.contrib import messages
from django.http import HttpResponse

from contest.forms.keys import once_key
from contest.markdown import render_markdown
from contest.selectors.problems import own_states, visible_problems
from contest.services.clarifications import ask_clarification
from contest.services.errors import Refused
from contest.services.receipts import confirm_notices
from contest.services.registration import register, unregister
from contest.views.asked import error_json, wants_json
from contest.views.common import (
    SeeOther,
    Visit,
    attempt,
    done,
    in_contest,
    next_or,
    refusal_status,
    signed_in,
    takes_form_of,
    whole_number,
)
from contest.views.pages import render_contest_page


@in_contest
def contest_page(visit: Visit) -> HttpResponse:
    return _contest_page(visit, {})


@takes_form_of("contest", "slug")
@in_contest
@signed_in
def take_part(visit: Visit) -> HttpResponse:
    user, contest = visit.require_user(), visit.contest
    return attempt(visit, lambda: register(contest, user), "You are registered.", contest.get_absolute_url())


@takes_form_of("contest", "slug")
@in_contest
@signed_in
def leave(visit: Visit) -> HttpResponse:
    user, contest = visit.require_user(), visit.contest
    where = contest.get_absolute_url() if visit.rights.is_public else "/"
    return attempt(visit, lambda: unregister(contest, user), "You are not registered any more.", where)


@takes_form_of("contest", "slug")
@in_contest
@signed_in
def ask(visit: Visit) -> HttpResponse:
    """A question to the jury by form. What was typed is on the page again when it is refused."""
    post = visit.request.POST
    label, text, key = post.get("problem", ""), post.get("text", ""), post.get("form_key", "")
    user = visit.require_user()
    try:
        ask_clarification(
            visit.contest,
            user,
            problem_label=label or None,
            text=text,
            command_key=once_key(key[:100], user.pk, label, text),
        )
    except Refused as refused:
        if wants_json(visit.request):
            return error_json(refusal_status(refused), refused.code, refused.message)
        draft = {"question": {"problem": label, "text": text, "error": refused.message}}
        return _contest_page(visit, draft, status=refusal_status(refused))
    if wants_json(visit.request):
        return done(visit.request, f"{visit.contest.get_absolute_url()}#clarifications")
    messages.success(
        visit.request, "Your question is with the jury. The answer appears on whatever page of the contest you are."
    )
    return SeeOther(next_or(visit.request, f"{visit.contest.get_absolute_url()}#clarifications"))


@takes_form_of("contest", "slug")
@in_contest
@signed_in
def confirm(visit: Visit) -> HttpResponse:
    """Confirm one version of one notice, for pages without scripts."""
    where = next_or(visit.request, visit.contest.get_absolute_url())
    notice, version = (whole_number(visit.request.POST.get(name, "")) for name in ("notice", "version"))
    if notice is None or version is None:
        messages.error(visit.request, "That is not a notice.")
        return SeeOther(where)
    pairs = [(notice, min(version, 2**31 - 1))]
    return attempt(visit, lambda: confirm_notices(visit.contest, visit.require_user(), pairs), "", where)


def _contest_page(visit: Visit, context: dict[str, Any], status: int = 200) -> HttpResponse:
    problems = visible_problems(visit.contest, visit.rights)
    states = own_states(visit.contest, visit.rights)
    frame = {
        "description": render_markdown(visit.contest.description),
        "own_end": _own_end(visit),
        "lines": [(problem, states.get(problem.pk)) for problem in problems],
    }
    return render_contest_page(
        visit, "contests/contest.html", {**frame, **context}, tab="contest", problems=problems, status=status
    )


def _own_end(visit: Visit) -> datetime | None:
    """Where it is another than the contest's."""
    extra_time_s = visit.rights.extra_time_s
    return visit.contest.ends_at + timedelta(seconds=extra_time_s) if extra_time_s else None
