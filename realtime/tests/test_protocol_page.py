"""docs/protocol.md lists the fields of every event as the golden frames have them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from realtime.tests import golden

PAGE = (Path(__file__).parents[2] / "docs/protocol.md").read_text()
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line.startswith("|")]
OBJECTS = {row[0].strip("*"): row[1] for row in ROWS if row[0].startswith("**")}
EVENTS = {
    name: frame["data"]
    for name, frame in ((name, json.loads(text)) for name, text in golden.golden()["server"].items())
    if frame["type"] == "event" and frame["name"] == name
}

SOMETIMES = {
    "announcement.posted": {"again"},
    "announcement.edited": {"again"},
    "record.updated": {"compiler_output"},
    "run.output": {"time_ms", "memory_kb"},
}
"""Fields that an event carries on occasion, and the golden one does not."""


def fields(cell: str) -> set[str]:
    """Those named before the semicolon: as words, as the first name in braces, or by the object that has them."""
    named = cell.split(";", 1)[0]
    words = set(re.findall(r"`(\w+)`", named)) | set(re.findall(r'`\{"(\w+)"', named))
    return words.union(*(fields(OBJECTS[each]) for each in re.findall(r"\*\*(\w+)\*\*", named)))


@pytest.mark.parametrize("name", EVENTS)
def test_the_fields_of_an_event_are_those_on_the_page(name: str) -> None:
    told = [row[2] for row in ROWS if len(row) == 3 and f"`{name}`" in row[1]]
    assert told, "the event is on the page"
    for cell in told:
        assert fields(cell) - SOMETIMES.get(name, set()) == set(EVENTS[name])


def test_nothing_is_tried_by_a_page_that_was_not_read() -> None:
    assert len(OBJECTS) == 6
    assert len(EVENTS) == 17
