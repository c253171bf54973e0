"""What every change of a contest's own row has in common."""

from __future__ import annotations

from contest.events import ContestChanged, publish
from contest.models import Contest
from contest.services.standings import touch_standings


def locked_contest(contest: Contest) -> Contest:
    """The row as it is now, locked until the transaction ends; whoever only refers to it need not wait."""
    return Contest.objects.select_for_update(no_key=True).get(pk=contest.pk)


def tell(contest: Contest, fields: list[str]) -> None:
    """Save `fields` as a new version and tell everybody; standings depend on them too."""
    contest.version += 1
    contest.save(update_fields=[*fields, "version"])
    publish(ContestChanged(contest))
    touch_standings(contest)
