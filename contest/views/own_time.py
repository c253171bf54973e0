"""Foreground time: one's own, and for the jury everybody's, with what the site owes for its own failures."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from contest.presenters import present_contest
from contest.rules.own_time import OwnTime, Reason
from contest.rules.phases import milliseconds
from contest.selectors.own_time import ContestantTime, contestant_time, contestant_times, moment, present_own_time
from contest.services.compensation import Offer, compensate
from contest.services.errors import Refused
from contest.views.common import SeeOther, Visit, in_contest, signed_in, staff_only, takes_form_of, whole_number
from contest.views.pages import render_contest_page

WORDS = {
    Reason.ABSENT: "No page of the contest had been opened yet.",
    Reason.HIDDEN: "No page of the contest was in front.",
    Reason.OFFLINE: "The browser was offline.",
    Reason.PROBE: "The connection carried nothing any more: a probe had no answer.",
    Reason.CONNECTION: "The connection was lost.",
    Reason.SLEPT: "The device was asleep.",
    Reason.LATE: "The connection stood still for a while: the page's reports came late.",
    Reason.UNCONFIRMED: "The page itself counted less: it was hidden or stood still.",
    Reason.DRAIN: "A server of this site was being replaced.",
    Reason.NODE: "A server of this site was down.",
    Reason.STALL: "A server of this site stood still.",
    Reason.DATABASE: "This site could not store anything.",
    Reason.CLOCK: "The clock of this site's database was set.",
    Reason.UNKNOWN: "The page fell silent; nothing more is known.",
}
DEFAULT_REASON = "The site itself was not available."
BAR_UNITS = 1000
"""Width of the picture of the contest's day."""


@require_safe
@in_contest
@signed_in
def own_time(visit: Visit) -> HttpResponse:
    """For scripts JSON; a page for browsers, which say that they take HTML."""
    found = contestant_time(visit.contest, visit.require_user().pk)
    if _wants_page(visit.request):
        return _varied(render_contest_page(visit, "contests/own_time.html", _shown(visit, found), tab="time"))
    return _varied(JsonResponse(_json(visit, found)))


@require_safe
@in_contest
@staff_only
def times(visit: Visit) -> HttpResponse:
    """Everybody's time, and what the site owes."""
    found = contestant_times(visit.contest)
    if not _wants_page(visit.request):
        people = [{"user": each.participation.user.username, **_person(each)} for each in found]
        return _varied(JsonResponse({"server_time": visit.now.timestamp(), "contestants": people}))
    context = {"times": found, "owed": [each for each in found if each.owed_s], "default_reason": DEFAULT_REASON}
    return _varied(render_contest_page(visit, "staff/times.html", context, tab="staff"))


@require_safe
@in_contest
@staff_only
def time_of(visit: Visit, user_id: int) -> HttpResponse:
    found = contestant_time(visit.contest, user_id)
    if found is None:
        raise Http404("There is no such contestant in this contest.")
    if _wants_page(visit.request):
        return _varied(render_contest_page(visit, "staff/time.html", _shown(visit, found), tab="staff"))
    return _varied(JsonResponse(_json(visit, found)))


@takes_form_of("staff-times", "slug")
@in_contest
@staff_only
def grant(visit: Visit) -> HttpResponse:
    """Give what the site owes to those who were chosen."""
    offers = [offer for offer in map(_offer, visit.request.POST.getlist("offer")) if offer is not None]
    try:
        given = compensate(visit.contest, visit.require_user(), offers, visit.request.POST.get("reason", ""))
    except Refused as refused:
        messages.error(visit.request, refused.message)
    else:
        _say(visit.request, given)
    return SeeOther(reverse("staff-times", args=[visit.contest.slug]))


def _say(request: HttpRequest, given: int) -> None:
    if given:
        messages.success(request, f"Extra time is given to {given} contestant{'s' if given > 1 else ''}; pages follow.")
    else:
        messages.error(request, "Nothing was given: nobody was chosen, or it had been given already.")


def _offer(text: str) -> Offer | None:
    """ "participation:seconds:given before", as the form writes it."""
    numbers = [whole_number(part) for part in text.split(":")]
    if len(numbers) != 3 or any(number is None for number in numbers):
        return None
    participation_id, seconds, before_s = (number or 0 for number in numbers)
    return Offer(participation_id, seconds, before_s)


def _wants_page(request: HttpRequest) -> bool:
    return request.GET.get("format") != "json" and "text/html" in request.headers.get("Accept", "")


def _varied(response: HttpResponse) -> HttpResponse:
    patch_vary_headers(response, ["Accept"])
    return response


def _json(visit: Visit, found: ContestantTime | None) -> dict[str, Any]:
    whole = {"server_time": visit.now.timestamp(), "contest": present_contest(visit.contest, visit.now)}
    return {**(_person(found) if found else present_own_time(OwnTime())), **whole}


def _person(found: ContestantTime) -> dict[str, Any]:
    return {
        **present_own_time(found.time),
        "extra_time_ms": found.extra_time_ms,
        "owed_ms": found.owed_ms,
    }


# --- As people see it -----------------------------------------------------------------------------


def _shown(visit: Visit, found: ContestantTime | None) -> dict[str, Any]:
    time = found.time if found else OwnTime()
    return {
        "found": found,
        "time": time,
        "report_s": _seconds(settings.FATHOM.timings.report_ms),
        "lease_s": _seconds(settings.FATHOM.timings.lease_ms),
        "lines": sorted([*_lines(time), *_pauses(visit)], key=lambda line: line["starts_at"], reverse=True),
        "bar": _bar(visit, found),
    }


def _lines(time: OwnTime) -> list[dict[str, Any]]:
    counted = [
        _line("counted", each.starts_ms, each.ends_ms, each.counted_ms, interrupted_ms=each.interrupted_ms)
        for each in time.stretches
    ]
    gaps = [
        _line(
            "gap",
            each.starts_ms,
            each.ends_ms,
            each.length_ms,
            words=WORDS[each.reason],
            by_site_ms=each.by_site_ms,
            is_open=each.is_open,
        )
        for each in time.gaps
    ]
    waits = [
        _line("wait", start, end, end - start, words="No judge worked; a submission waited.", by_site_ms=end - start)
        for start, end in time.waits
    ]
    return [*counted, *gaps, *waits]


def _pauses(visit: Visit) -> list[dict[str, Any]]:
    pauses = [(start, end) for start, end in visit.contest.pauses]
    if visit.contest.paused_at is not None:
        pauses.append((milliseconds(visit.contest.paused_at), milliseconds(visit.now)))
    return [_line("pause", start, end, end - start, words="The contest was paused.") for start, end in pauses]


def _line(kind: str, start_ms: int, end_ms: int, length_ms: int, **more: Any) -> dict[str, Any]:
    return {"kind": kind, "starts_at": moment(start_ms), "ends_at": moment(end_ms), "length_ms": length_ms, **more}


def _bar(visit: Visit, found: ContestantTime | None) -> list[dict[str, Any]]:
    """The contest's day so far from left to right, for people who see."""
    if found is None or visit.now <= visit.contest.starts_at:
        return []
    own_end = visit.contest.ends_at + timedelta(seconds=found.participation.extra_time_s)
    start, end = milliseconds(visit.contest.starts_at), milliseconds(min(visit.now, own_end))
    kinds = [("counted", each.starts_ms, each.ends_ms) for each in found.time.stretches]
    kinds += [("site" if each.by_site_ms else "gap", each.starts_ms, each.ends_ms) for each in found.time.gaps]
    return [
        {"kind": kind, "x": _units(a - start, end - start), "width": max(1, _units(b - a, end - start))}
        for kind, a, b in kinds
    ]


def _seconds(ms: int) -> str:
    return f"{ms / 1000:g}"


def _units(part_ms: int, whole_ms: int) -> int:
    return round(part_ms * BAR_UNITS / whole_ms)
