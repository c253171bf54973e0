"""Who is connected, as rows: each node writes its own people, and counts only while it says that it lives.

A node that was killed takes nobody's row back. Its people are not connected from the moment on at which it
has been silent for `SILENT_AFTER_S`, whoever asks; the others then clear its rows away.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from contest.models import User
from contest.ports import Presence as Known
from contest.presenters import present_presence
from realtime.models import LastSeen, LiveNode, Presence

SILENT_AFTER_S = 8.0
HEARTBEAT_S = 2.0
"""A quarter: a slow write or two are no death."""
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


def report(node: str, here: Mapping[Key, Here], gone: Collection[Key]) -> bool:
    """`node` lives; these people are new or changed, and those have gone.

    False: the store does not know the node (it is new, or was held for dead), and nothing but its name was
    written. It must report everybody then.
    """
    with transaction.atomic():
        row = LiveNode.objects.filter(name=node)
        if row.update(seen_at=Now()) == 0:
            LiveNode.objects.get_or_create(name=node, defaults={"seen_at": Now()})
            return False
        node_id = row.values_list("pk", flat=True).get()
        _write(node_id, here)
        if gone:
            Presence.objects.filter(_any_of(gone), node=node_id).delete()
            _note_last_seen(dict.fromkeys(gone, timezone.now()))
    return True


def withdraw(node: str) -> None:
    """It ends in order, and all its connections with it."""
    with transaction.atomic():
        for row in LiveNode.objects.filter(name=node):
            _bury(row, timezone.now())


def bury_silent() -> dict[int, set[int]]:
    """Clear away what nodes left that are silent; contest id → the people who were there."""
    silent = LiveNode.objects.filter(seen_at__lt=_still_heard())
    if not silent.exists():  # looking takes no lock
        return {}
    changed: dict[int, set[int]] = defaultdict(set)
    with transaction.atomic():
        # Of several nodes that come here one finds the row; one that comes back to life finds none, and reports anew.
        for row in silent.select_for_update(skip_locked=True):
            for contest_id, user_id in _bury(row, row.seen_at):
                changed[contest_id].add(user_id)
    return changed


# --- What pages read ------------------------------------------------------------------------------


def read_presence(contest_id: int, user_ids: Collection[int] | None = None) -> dict[int, Known]:
    """User id → what is known of their connections, of these or of all who were ever there: two queries."""
    who = Q(contest=contest_id) if user_ids is None else Q(contest=contest_id, user__in=user_ids)
    last = LastSeen.objects.filter(who).values_list("user_id", "at")
    found = {user_id: Known(disconnected_since=at) for user_id, at in last}
    rows = Presence.objects.filter(who, node__seen_at__gte=_still_heard()).order_by("since")
    for user_id, since, behind_since in rows.values_list("user_id", "since", "behind_since"):
        other = found.get(user_id)
        if other is not None and other.connected_since is not None:
            both = (other.behind_since, behind_since)
            since, behind_since = other.connected_since, None if None in both else min(filter(None, both))
        found[user_id] = Known(connected_since=since, behind_since=behind_since)
    left = Presence.objects.filter(who, node__seen_at__lt=_still_heard())
    for user_id, at in left.values_list("user_id", "node__seen_at"):  # of a dead node that nobody has buried yet
        if found.get(user_id) is None or found[user_id].connected_since is None:
            found[user_id] = Known(disconnected_since=at)
    return found


def changed_people(contest_id: int, user_ids: set[int]) -> dict[str, Any]:
    """Data of `presence.changed`: these people as they are now; null if they are too many to be told."""
    if len(user_ids) > PEOPLE_TOLD:
        return {"people": None}
    known = read_presence(contest_id, user_ids)
    names = User.objects.filter(pk__in=user_ids).order_by("pk").values_list("pk", "username")
    return {"people": [{"user": name} | present_presence(known.get(user_id)) for user_id, name in names]}


# --- Parts ----------------------------------------------------------------------------------------


def _still_heard() -> Any:
    return Now() - timedelta(seconds=SILENT_AFTER_S)


def _write(node_id: int, here: Mapping[Key, Here]) -> None:
    Presence.objects.bulk_create(
        [
            Presence(node_id=node_id, contest_id=key[0], user_id=key[1], since=at.since, behind_since=at.behind_since)
            for key, at in sorted(here.items(), key=lambda item: item[0])
        ],
        batch_size=ROWS_A_STATEMENT,
        update_conflicts=True,
        unique_fields=["node", "contest", "user"],
        update_fields=["since", "behind_since"],
    )


def _bury(node: LiveNode, at: datetime) -> list[Key]:
    keys = list(node.presences.values_list("contest_id", "user_id"))
    node.delete()
    _note_last_seen(dict.fromkeys(keys, at))
    return keys


def _note_last_seen(moments: Mapping[Key, datetime]) -> None:
    LastSeen.objects.bulk_create(
        [LastSeen(contest_id=key[0], user_id=key[1], at=at) for key, at in sorted(moments.items())],
        batch_size=ROWS_A_STATEMENT,
        update_conflicts=True,
        unique_fields=["contest", "user"],
        update_fields=["at"],
    )


def _any_of(keys: Iterable[Key]) -> Q:
    users: dict[int, list[int]] = defaultdict(list)
    for contest_id, user_id in keys:
        users[contest_id].append(user_id)
    found = Q()
    for contest_id, ids in users.items():
        found |= Q(contest=contest_id, user__in=ids)
    return found
