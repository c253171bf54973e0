"""The list of records and the page of one."""

from __future__ import annotations

from datetime import UTC

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_GET

from contest.access import EXCLUDED, Rights, rights_in
from contest.models import Record
from contest.models.queue import Status, Verdict
from contest.ports import offered_languages
from contest.presenters import present_time
from contest.selectors.problems import visible_problems
from contest.selectors.records import RecordFilter, cases_for, chosen_user_id, find_record, list_records, summary_for
from contest.streams import StreamName
from contest.views.common import Visit, in_contest, signed_in, whole_number
from contest.views.pages import render_contest_page


@require_GET
@in_contest
@signed_in
def record_list(visit: Visit) -> HttpResponse:
    chosen = _chosen(visit.request)
    before = whole_number(visit.request.GET.get("before", ""))
    records, older = list_records(visit.contest, visit.rights, chosen, before)
    narrowed = {name: value for name, value in vars(chosen).items() if value}
    problems = visible_problems(visit.contest, visit.rights)
    context = {
        "records": records,
        "older": urlencode({**narrowed, "before": older}) if older else "",
        "is_first_page": before is None,
        "chosen": chosen,
        "is_narrowed": bool(narrowed),
        "user_id": chosen_user_id(chosen, visit.rights),
        "verdicts": Verdict.choices,
        "languages": offered_languages(),
        "sees_all": visit.rights.sees_all_records,
        "problems": problems,
    }
    # Older pages stand still: nothing new can come into them.
    streams = [StreamName.RECORDS] if before is None else []
    return render_contest_page(
        visit, "contests/records.html", context, tab="records", streams=streams, problems=problems
    )


@require_GET
def record_page(request: HttpRequest, record_id: int) -> HttpResponse:
    """One record for its owner, for staff, and after the end for everybody entitled; others learn nothing."""
    record = find_record(record_id)
    now = timezone.now()
    rights = rights_in(record.contest, request.user, now) if record is not None else None
    if record is None or rights is None or not (rights.may_see_contest and rights.may_see_record(record)):
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        if record is not None and rights is not None and rights.is_banned and record.user_id == rights.user_id:
            raise PermissionDenied(EXCLUDED)
        raise Http404("There is no such record, or you may not see it.")
    visit = Visit(request, record.contest, rights, now)
    if request.GET.get("format") == "json":
        return JsonResponse(_json(visit, record))
    context = {
        "record": record,
        "summary": summary_for(record, rights),
        "cases": cases_for(record, rights),
        "compiler_output": record.compiler_output,
        "shows_cases": rights.sees_own_cases,
        "no_cases": _no_cases(rights, record),
        "submitted_utc": record.submitted_at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3] + " UTC",
    }
    return render_contest_page(
        visit, "contests/record.html", context, tab="records", streams=[StreamName.RECORD], record=record
    )


def _no_cases(rights: Rights, record: Record) -> str:
    """Why there is no case to see; the page's script says the same while it follows."""
    if not rights.sees_own_cases:
        return "Cases are not shown while the contest runs."
    return "No case was run." if record.status == Status.FINAL else "No case has been judged yet."


def _json(visit: Visit, record: Record) -> dict[str, object]:
    return {
        "record": {**summary_for(record, visit.rights), "compiler_output": record.compiler_output},
        "cases": cases_for(record, visit.rights),
        "source": record.source,
        "source_sha256": record.source_sha256,
        "submitted_at": present_time(record.submitted_at),
    }


def _chosen(request: HttpRequest) -> RecordFilter:
    get = request.GET
    return RecordFilter(
        problem=get.get("problem", "")[:8],
        language=get.get("language", "")[:16],
        verdict=get.get("verdict", "")[:4],
        user=get.get("user", "")[:150],
        only_own=get.get("only_own", "") in ("1", "on", "True"),
    )
