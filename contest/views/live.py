"""What a page carries for its scripts: who looks, how patient to be, and the streams with their snapshots.

The cursors of a stream are read before its data. What happens in between is then both in the data
and after the cursor, and versions make that harmless; the other way round it would be in neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.conf import settings

from contest.models import Record
from contest.ports import read_cursors, read_own_time_ms
from contest.presenters import present_contest
from contest.selectors.live import read_snapshot
from contest.streams import StreamName
from contest.views.common import Visit

Json = dict[str, Any]


def page_data(visit: Visit, streams: Sequence[StreamName], record: Record | None = None) -> Json:
    """The page's `fathom-page` data. Streams are left out for those who may not open them."""
    user = visit.user
    return {
        "contest": visit.contest.slug,
        "scoring": visit.contest.scoring,
        "schedule": present_contest(visit.contest, visit.now),
        "user": {"id": user.pk, "name": user.shown_name, "staff": visit.rights.is_staff} if user else None,
        "extra_time_ms": visit.rights.extra_time_s * 1000,
        "timings": _timings(),
        "server_time": visit.now.timestamp(),
        "streams": {name: _stream(visit, name, record) for name in streams if visit.rights.may_follow(name, record)},
    }


def _stream(visit: Visit, name: StreamName, record: Record | None) -> Json:
    cursor = read_cursors(name, visit.rights, record.pk if record else None)
    path = (
        f"/ws/records/{record.pk}"
        if name is StreamName.RECORD and record
        else f"/ws/contests/{visit.contest.slug}/{name}"
    )
    user_id = visit.rights.user_id
    accumulated_ms = (
        read_own_time_ms(visit.contest.pk, user_id) if name is StreamName.TIMER and user_id is not None else 0
    )
    found = read_snapshot(name, visit.contest, visit.rights, record=record, accumulated_ms=accumulated_ms)
    return {"url": path, "cursor": cursor, "data": found.data}


def _timings() -> Json:
    timings = settings.FATHOM.timings
    names = ("heartbeat_ms", "silence_ms", "probe_ms", "report_ms", "lease_ms", "handshake_ms", "hidden_ms", "trial_ms")
    # What a person sent looks unconfirmed after as long as a probe waits for its answer.
    return {name: getattr(timings, name) for name in names} | {"confirm_ms": timings.probe_ms}
