"""Fixtures of the domain's tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.cache import cache

from contest.models import Contest, Record, RecordCase, User
from contest.services.records import submit


@pytest.fixture(autouse=True)
def empty_cache() -> Iterator[None]:
    """Rolled back rows give their ids to the next test; what was kept under those ids must not."""
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def judged(contest: Contest) -> Callable[..., Record]:
    """Submit for somebody and write the outcome down as the judge would."""

    def judge(user: User, verdict: str, **fields: Any) -> Record:
        record = submit(contest.problems.get(label="A"), user, language="python", source="print(3)")
        record.status, record.verdict, record.attempt = "final", verdict, 1
        for name, value in fields.items():
            setattr(record, name, value)
        record.save()
        RecordCase.objects.create(record=record, attempt=1, index=1, verdict="AC", time_ms=3, memory_kb=900, message="")
        RecordCase.objects.create(
            record=record, attempt=1, index=2, verdict=verdict, time_ms=4, memory_kb=901, message=""
        )
        Contest.objects.filter(pk=contest.pk).update(standings_version=record.pk)
        contest.refresh_from_db()
        return record

    return judge
