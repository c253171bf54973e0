"""What the views share: entering a contest, answers after a form, refusals in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods

from contest.access import EXCLUDED, Rights, rights_in
from contest.models import Contest, Problem, User
from contest.services.errors import Refused
from contest.views.asked import ask_to_sign_in, wants_json
from contest.views.errors import another_person

STATUS_OF = {"forbidden": 403, "not-found": 404, "bad-request": 400, "busy": 429}
MOST_DIGITS = 18
"""What fits into 64 bits in any case. Python itself refuses to read thousands of digits."""
P = ParamSpec("P")


@dataclass(frozen=True)
class Visit:
    """One request inside one contest, by somebody who may see that it exists."""

    request: HttpRequest
    contest: Contest
    rights: Rights
    now: datetime

    @property
    def user(self) -> User | None:
        return self.request.user if isinstance(self.request.user, User) else None

    def require_user(self) -> User:
        """The signed-in user. Only in views behind `signed_in`."""
        if self.user is None:
            raise PermissionDenied("Please sign in.")
        return self.user


ContestView = Callable[Concatenate[Visit, P], HttpResponse]
PlainView = Callable[..., HttpResponse]
"""(request, slug, …): Django passes the parts of the address by name."""


def in_contest(view: ContestView[P]) -> PlainView:
    """Turn `view(visit, …)` into a view of `(request, slug, …)`.

    A contest that may not be seen and one that does not exist look the same: "not found" for
    somebody signed in, the sign-in page for everybody else. Whoever is excluded knows the contest,
    and is told why every page and form of it is shut.
    """

    @wraps(view)
    def enter(request: HttpRequest, slug: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if _is_of_another(request):
            return another_person(request)
        contest = Contest.objects.filter(slug=slug).first()
        now = timezone.now()
        rights = rights_in(contest, request.user, now) if contest is not None else None
        if contest is not None and rights is not None and rights.may_see_contest:
            return view(Visit(request, contest, rights, now), *args, **kwargs)
        if not request.user.is_authenticated:
            return ask_to_sign_in(request)
        if rights is not None and rights.is_banned:
            raise PermissionDenied(EXCLUDED)
        raise Http404("There is no contest at this address.")

    return enter


def _is_of_another(request: HttpRequest) -> bool:
    """Whether this form stands on a page that was made for somebody else.

    Threat: Alice's page is still open when Bob signs in in the same browser, and sends her text with his cookie. A
    stale CSRF token stops plain forms, but a script reads the fresh one. Forms of scripts outside do not name anybody.
    """
    written_by = request.POST.get("written_by", "") if request.method == "POST" else ""
    return bool(written_by) and request.user.is_authenticated and written_by != str(request.user.pk)


def signed_in(view: ContestView[P]) -> ContestView[P]:
    @wraps(view)
    def check(visit: Visit, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if visit.user is None:
            return ask_to_sign_in(visit.request)
        return view(visit, *args, **kwargs)

    return check


def staff_only(view: ContestView[P]) -> ContestView[P]:
    @wraps(view)
    def check(visit: Visit, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if visit.user is None:
            return ask_to_sign_in(visit.request)
        if not visit.rights.is_staff:
            raise PermissionDenied("This page is for the jury of the contest.")
        return view(visit, *args, **kwargs)

    return check


def takes_form_of(page: str, *parts: str) -> Callable[[PlainView], PlainView]:
    """POST only: these addresses take a form and show nothing themselves.

    Who comes by GET (the way back from signing in again leads here) goes on to `page`, which has the
    form; `parts` are the parts of this address that it takes over, by name.
    """

    def decorate(view: PlainView) -> PlainView:
        @wraps(view)
        @require_http_methods(["GET", "HEAD", "POST"])
        def enter(request: HttpRequest, **address: Any) -> HttpResponse:
            if request.method == "POST":
                return view(request, **address)
            return HttpResponseRedirect(reverse(page, args=[address[part] for part in parts]))

        return enter

    return decorate


class SeeOther(HttpResponseRedirect):
    """The answer to a form that did something: look there, with GET."""

    status_code = 303


def done(request: HttpRequest, address: str) -> HttpResponse:
    """A form has done what it was for; what came of it is at `address`."""
    return JsonResponse({"location": address}, status=201) if wants_json(request) else SeeOther(address)


def whole_number(text: str) -> int | None:
    """The number that a text from outside spells in plain digits, if every database can hold it."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS else None


def next_or(request: HttpRequest, default: str) -> str:
    """The address that the form wants to return to, if it is on this site; `default` otherwise."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    allowed = {request.get_host()}
    safe = url_has_allowed_host_and_scheme(wanted, allowed_hosts=allowed, require_https=request.is_secure())
    return wanted if safe else default


def attempt(visit: Visit, action: Callable[[], Any], words: str, where: str) -> HttpResponse:
    """Do `action` and go to `where`, with `words` or with those of the refusal on the next page."""
    try:
        action()
    except Refused as refused:
        messages.error(visit.request, refused.message)
    else:
        if words:
            messages.success(visit.request, words)
    return SeeOther(where)


def refusal_status(refused: Refused) -> int:
    return STATUS_OF.get(refused.code, 400)


def problem_or_404(problem: Problem | None) -> Problem:
    """The same words for "no such" and "not yet"."""
    if problem is None:
        raise Http404("There is no such problem in this contest, or not yet.")
    return problem
