"""Standings: one rendering serves all viewers of the same view; only the own row is marked afterwards."""

from __future__ import annotations

import re
from collections import defaultdict
from threading import Lock

from django.core.cache import cache
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_GET

from contest.access import Rights
from contest.selectors.standings import KEPT_S, Board, View, board, board_key, view_for
from contest.views.common import Visit, in_contest
from contest.views.pages import render_contest_page

PROBLEM_LINK = re.compile(r"<a [^>]*>([^<]*)</a>")
"""There are no other links in the table, and escaped text holds no such character."""


@require_GET
@in_contest
def standings(visit: Visit) -> HttpResponse:
    """The whole page, or with `?part=table` the table and what it shows, for open pages that follow."""
    if not visit.rights.may_see_standings:
        raise PermissionDenied("Standings appear when the contest has started.")
    view = view_for(visit.contest, visit.rights)
    table = _for_viewer(_table(visit, view), visit.rights)
    if visit.request.GET.get("part") == "table":
        response = HttpResponse(format_html('{}<div id="standings">{}</div>', _state(visit, view), table))
        response["Cache-Control"] = "private, no-cache"
        return response
    context = {"table": table, **_state_context(visit, view)}
    return render_contest_page(visit, "contests/standings.html", context, tab="standings")


def _state(visit: Visit, view: View) -> SafeString:
    return render_to_string("contests/standings_state.html", _state_context(visit, view))


def _state_context(visit: Visit, view: View) -> dict[str, object]:
    freeze_at = visit.contest.freeze_at
    is_frozen_now = freeze_at is not None and freeze_at <= (visit.contest.paused_at or visit.now)
    return {
        "contest": visit.contest,
        "rights": visit.rights,
        "view": view,
        "is_frozen_now": is_frozen_now,
        "now": visit.now,
    }


_turns: defaultdict[tuple[int, View], Lock] = defaultdict(Lock)
"""By contest and view: who may render. When outcomes change, all open pages ask at once, and each rendering
of its own would take all processors for as many times as there are pages."""


def _table(visit: Visit, view: View) -> str:
    kept = _kept(visit, view)
    if kept is not None:
        return kept
    turn = _turns[visit.contest.pk, view]
    waited = not turn.acquire(blocking=False)
    if waited:
        turn.acquire()
    try:
        if waited:
            # What the one before rendered is there now, and that is of a newer version perhaps.
            visit.contest.refresh_from_db(fields=["standings_version", "version"])
        return _kept(visit, view) or _render(visit, view)
    finally:
        turn.release()


def _kept(visit: Visit, view: View) -> str | None:
    kept: str | None = cache.get(_key(visit, view))
    return kept


def _render(visit: Visit, view: View) -> str:
    made = render_to_string("contests/standings_table.html", _context(board(visit.contest, view), visit))
    cache.set(_key(visit, view), made, KEPT_S)
    return made


def _key(visit: Visit, view: View) -> str:
    return f"html-{board_key(visit.contest, view)}"


def _context(made: Board, visit: Visit) -> dict[str, object]:
    lines = [(row, made.contestants[row.contestant]) for row in made.rows]
    return {"board": made, "lines": lines, "contest": visit.contest}


def _for_viewer(table: str, rights: Rights) -> SafeString:
    """`table` with the viewer's row marked, and the letters of problems without a link for whoever may not open them.
    Only numbers and fixed words are put in."""
    if not rights.may_see_problems:
        table = PROBLEM_LINK.sub(r"\1", table)
    own = f'data-contestant="{rights.user_id}"'
    return mark_safe(table.replace(own, f'{own} aria-current="true"'))  # noqa: S308
