"""Documents name what is there, and decisions by a number of their own."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_every_decision_has_a_number_of_its_own_which_is_that_of_its_title() -> None:
    decisions = sorted((ROOT / "docs/decisions").glob("*.md"))
    numbers = [int(path.name[:4]) for path in decisions]
    assert [number for number, times in Counter(numbers).items() if times > 1] == []
    assert [int(path.read_text().removeprefix("# ").partition(".")[0]) for path in decisions] == numbers


@pytest.mark.parametrize("document", sorted((ROOT / "docs").glob("*.md")), ids=lambda path: path.name)
def test_files_that_a_document_names_are_there(document: Path) -> None:
    folders = "|".join(path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith("."))
    named = re.findall(rf"`((?:{folders})/[\w/.-]+\.[a-z]+)`", document.read_text())
    assert [name for name in named if not (ROOT / name).exists()] == []
