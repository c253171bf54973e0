"""Fixtures of the domain's tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.core.cache import cache

from contest import events


@pytest.fixture(autouse=True)
def empty_cache() -> Iterator[None]:
    """Rolled back rows give their ids to the next test; what was kept under those ids must not."""
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[events.Event]:
    """What was published, in order, and to nobody else."""
    published: list[events.Event] = []
    monkeypatch.setattr(events, "_subscribers", [published.append])
    return published
