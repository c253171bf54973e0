"""Templates and browser modules write numbers and verdicts in the same forms: both are checked against one table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from contest.templatetags import fathom

TABLE: dict[str, list[list[Any]]] = json.loads((Path(settings.BASE_DIR) / "static/js/ui/tests/forms.json").read_text())
ROWS = [(name, value, text) for name, rows in TABLE.items() for value, text in rows]


@pytest.mark.parametrize(("name", "value", "text"), ROWS)
def test_numbers_are_written_as_the_browser_writes_them(name: str, value: Any, text: str) -> None:
    assert getattr(fathom, name)(value) == text


@pytest.mark.parametrize("name", ["milliseconds", "kibibytes", "points"])
def test_what_is_not_there_is_written_as_nothing(name: str) -> None:
    assert getattr(fathom, name)("") == ""
