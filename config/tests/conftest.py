"""The order of these tests among all others."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A minute of judging comes first: at the end, where tests without a database are, others would wait for it."""
    items.sort(key=lambda item: item.path.name != "test_demo_verdicts.py")
