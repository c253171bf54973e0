"""The one order in which services lock rows, so that no two of them ever wait for each other in a circle:

1. the person (`checks.one_at_a_time`),
2. participations, in order of pk (`lock_participations`),
3. a claimed record or run, a notice, a problem or a question,
4. the contest (`times.locked_contest`, `standings.touch_standings`),
5. the heads of the log, in order of topic, right before the commit (the log sees to it).

Whoever needs a row of an earlier step takes it first, even if it is written last. Rejudging takes the contest
before records, but only records that are final, which no judge holds. Locks are on the row itself, never on what
is joined to it, and leave the key alone unless the row is deleted: who only refers to it need not wait.
"""

from __future__ import annotations

from django.db.models import QuerySet

from contest.models import Participation


def lock_participations(rows: QuerySet[Participation]) -> list[Participation]:
    """Those of `rows` that are there, with their people, locked until the transaction ends."""
    return list(rows.select_for_update(of=("self",), no_key=True).select_related("user").order_by("pk"))
