"""Announcing this judge, and asking which judges there are."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db.models import QuerySet
from django.db.models.functions import Now

from judge.languages import installed_languages, language_version
from judge.models import JudgeNode

ANNOUNCE_EVERY_S = 10.0
GONE_AFTER_S = 60.0
MISSED_AFTER_S = 25.0
"""Two announcements in a row did not come: no reason yet to offer no languages, but one to alarm the jury."""
_FORGET_AFTER_S = 24 * 3600.0


def _installed() -> list[dict[str, str]]:
    return [{"id": row.id, "version": language_version(row)} for row in installed_languages()]


def announce(name: str, slots: int, *, starting: bool = False) -> None:
    """Say that this judge lives. Times are the database's: machines need not agree on theirs."""
    fresh: dict[str, Any] = {"slots": slots, "languages": _installed(), "seen_at": Now()}
    if starting:
        JudgeNode.objects.update_or_create(name=name, defaults={**fresh, "started_at": Now()})
        JudgeNode.objects.filter(seen_at__lt=Now() - timedelta(seconds=_FORGET_AFTER_S)).delete()
    elif JudgeNode.objects.filter(name=name).update(**fresh) == 0:
        announce(name, slots, starting=True)


def withdraw(name: str) -> None:
    JudgeNode.objects.filter(name=name).delete()


def living() -> QuerySet[JudgeNode]:
    return JudgeNode.objects.filter(seen_at__gte=Now() - timedelta(seconds=GONE_AFTER_S))


def count_heard() -> int:
    """How many judges have said lately that they live."""
    return JudgeNode.objects.filter(seen_at__gte=Now() - timedelta(seconds=MISSED_AFTER_S)).count()
