"""Who has worked how long in the foreground, what was not counted and why, and what the site owes for it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from contest.models import Contest, Participation
from contest.ports import read_own_times
from contest.presenters import Json, present_time
from contest.rules.own_time import Gap, OwnTime


@dataclass(frozen=True)
class ContestantTime:
    participation: Participation
    time: OwnTime

    @property
    def owed_s(self) -> int:
        """Extra time that the site owes this contestant for its own failures: whole seconds."""
        return self.time.owed_s(self.participation.site_time_s)

    @property
    def owed_ms(self) -> int:
        return self.owed_s * 1000

    @property
    def extra_time_ms(self) -> int:
        return self.participation.extra_time_s * 1000


def contestant_time(contest: Contest, user_id: int) -> ContestantTime | None:
    """None: they do not take part."""
    # user_id= would hand the database numbers that it cannot hold.
    rows = list(contest.participations.filter(user__pk=user_id).select_related("user"))
    return next(iter(_with_times(contest, rows)), None)


def contestant_times(contest: Contest) -> list[ContestantTime]:
    """Everybody who takes part, by name."""
    rows = contest.participations.select_related("user").order_by("user__display_name", "user__username")
    return _with_times(contest, list(rows))


def _with_times(contest: Contest, rows: list[Participation]) -> list[ContestantTime]:
    times = read_own_times(contest, rows)
    return [ContestantTime(row, times[row.pk]) for row in rows]


def present_own_time(time: OwnTime) -> Json:
    return {
        "accumulated_ms": time.accumulated_ms,
        "not_counted_ms": time.not_counted_ms,
        "by_site_ms": time.by_site_ms,
        "stretches": [
            {**_span(each.starts_ms, each.ends_ms), "counted_ms": each.counted_ms} for each in time.stretches
        ],
        "gaps": [_present_gap(each) for each in time.gaps],
        "waits": [_span(start, end) for start, end in time.waits],
    }


def _present_gap(gap: Gap) -> Json:
    more = {"reason": gap.reason.value, "by_site_ms": gap.by_site_ms, "open": gap.is_open}
    return {**_span(gap.starts_ms, gap.ends_ms), **more}


def _span(start_ms: int, end_ms: int) -> Json:
    return {"from": present_time(moment(start_ms)), "to": present_time(moment(end_ms))}


def moment(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / 1000, UTC)
