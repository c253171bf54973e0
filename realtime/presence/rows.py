"""Who is connected, as rows: each node writes its own people, who count only while its run lives.

A node that was killed takes nobody's row back. Its people are not connected from the moment on at which its
run does not live any more (`realtime.runs`), whoever asks; the others then clear its rows away.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from contest.models import Contest, User
from contest.ports import Presence as Known
from contest.presenters import present_presence
from realtime.models import LastSeen, NodeRun, Presence
from realtime.runs import heard_after_ms, moment

PEOPLE_TOLD = 200
"""More at once are no news of people but a new picture: who looks at it asks for it as a whole."""
ROWS_A_STATEMENT = 2_000

Key = tuple[int, int]
"""(contest id, user id)."""


@dataclass(frozen=True, slots=True)
class Here:
    """One person on one node. `behind_since`: none of their connections takes in what there is."""

    since: datetime
    behind_since: datetime | None = None


# --- What nodes write -----------------------------------------------------------------------------


def report(run: int, here: Mapping[Key, Here], gone: Collection[Key], *, has_written: bool) -> bool:
    """In this run, these people are new or changed, and those have gone. `has_written`: others were written before.

    False: nothing was written, for of those before nothing is left: the run was held for dead. It must report
    everybody then. Whoever or whatever was deleted meanwhile is left out: their connections are about to close.
    """
    with transaction.atomic():
        # Whoever holds the run for dead does so under the same lock: nobody's row is written between.
        NodeRun.objects.select_for_update().get(pk=run)
        if has_written and not Presence.objects.filter(run=run).exists():
            return False
        there = _existing([*here, *gone])
        _write(run, {key: at for key, at in here.items() if key in there})
        if gone:
            Presence.objects.filter(_any_of(gone), run=run).delete()
            _note_last_seen(dict.fromkeys(there.intersection(gone), timezone.now()))
    return True


def withdraw(run: int) -> None:
    """It ends in order, and all its connections with it."""
    with transaction.atomic():
        for row in NodeRun.objects.select_for_update().filter(pk=run):
            _clear(row, timezone.now())


def bury_silent() -> dict[int, set[int]]:
    """Clear away what runs left that are silent; contest id → the people who were there."""
    left = Exists(Presence.objects.filter(run=OuterRef("pk")))
    silent = NodeRun.objects.filter(left, beat_ms__lte=heard_after_ms())
    if not silent.exists():  # looking takes no lock
        return {}
    changed: dict[int, set[int]] = defaultdict(set)
    with transaction.atomic():
        # Of several nodes that come here one finds the run silent; one that comes back to life finds nobody left of it.
        for row in silent.select_for_update(skip_locked=True):
            for contest_id, user_id in _clear(row, moment(row.beat_ms)):
                changed[contest_id].add(user_id)
    return changed


# --- What pages read ------------------------------------------------------------------------------


def read_presence(contest_id: int, user_ids: Collection[int] | None = None) -> dict[int, Known]:
    """User id → what is known of their connections, of these or of all who were ever there: two queries."""
    who = Q(contest=contest_id) if user_ids is None else Q(contest=contest_id, user__in=user_ids)
    last = LastSeen.objects.filter(who).values_list("user_id", "at")
    found = {user_id: Known(disconnected_since=at) for user_id, at in last}
    rows = Presence.objects.filter(who, run__beat_ms__gt=heard_after_ms()).order_by("since")
    for user_id, since, behind_since in rows.values_list("user_id", "since", "behind_since"):
        other = found.get(user_id)
        if other is not None and other.connected_since is not None:
            both = (other.behind_since, behind_since)
            since, behind_since = other.connected_since, None if None in both else min(filter(None, both))
        found[user_id] = Known(connected_since=since, behind_since=behind_since)
    left = Presence.objects.filter(who, run__beat_ms__lte=heard_after_ms())
    for user_id, beat_ms in left.values_list("user_id", "run__beat_ms"):  # of a dead node that nobody has buried yet
        if found.get(user_id) is None or found[user_id].connected_since is None:
            found[user_id] = Known(disconnected_since=moment(beat_ms))
    return found


def changed_people(contest_id: int, user_ids: set[int]) -> dict[str, Any]:
    """Data of `presence.changed`: these people as they are now; null if they are too many to be told."""
    if len(user_ids) > PEOPLE_TOLD:
        return {"people": None}
    known = read_presence(contest_id, user_ids)
    names = User.objects.filter(pk__in=user_ids).order_by("pk").values_list("pk", "username")
    return {"people": [{"user": name} | present_presence(known.get(user_id)) for user_id, name in names]}


# --- Parts ----------------------------------------------------------------------------------------


def _write(run: int, here: Mapping[Key, Here]) -> None:
    Presence.objects.bulk_create(
        [
            Presence(run_id=run, contest_id=key[0], user_id=key[1], since=at.since, behind_since=at.behind_since)
            for key, at in sorted(here.items(), key=lambda item: item[0])
        ],
        batch_size=ROWS_A_STATEMENT,
        update_conflicts=True,
        unique_fields=["run", "contest", "user"],
        update_fields=["since", "behind_since"],
    )


def _clear(run: NodeRun, at: datetime) -> list[Key]:
    keys = list(run.presences.values_list("contest_id", "user_id"))
    run.presences.all().delete()
    _note_last_seen(dict.fromkeys(keys, at))
    return keys


def _existing(keys: Collection[Key]) -> set[Key]:
    """Those of `keys` whose account and contest are there."""
    if not keys:
        return set()
    contests = set(Contest.objects.filter(pk__in={key[0] for key in keys}).values_list("pk", flat=True))
    ids = sorted({key[1] for key in keys})
    users: set[int] = set()
    for start in range(0, len(ids), ROWS_A_STATEMENT):
        found = User.objects.filter(pk__in=ids[start : start + ROWS_A_STATEMENT])
        users.update(found.values_list("pk", flat=True))
    return {key for key in keys if key[0] in contests and key[1] in users}


def _note_last_seen(moments: Mapping[Key, datetime]) -> None:
    """An older moment never replaces a newer one: a node is buried long after its people went on over another."""
    rows = sorted(moments.items())
    for start in range(0, len(rows), ROWS_A_STATEMENT):
        part = rows[start : start + ROWS_A_STATEMENT]
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO realtime_lastseen (contest_id, user_id, at)"  # noqa: S608
                f" VALUES {', '.join(['(%s, %s, %s)'] * len(part))}"
                " ON CONFLICT (contest_id, user_id) DO UPDATE SET at = excluded.at"
                " WHERE realtime_lastseen.at < excluded.at",
                [value for key, at in part for value in (*key, connection.ops.adapt_datetimefield_value(at))],
            )


def _any_of(keys: Iterable[Key]) -> Q:
    users: dict[int, list[int]] = defaultdict(list)
    for contest_id, user_id in keys:
        users[contest_id].append(user_id)
    found = Q()
    for contest_id, ids in users.items():
        found |= Q(contest=contest_id, user__in=ids)
    return found
