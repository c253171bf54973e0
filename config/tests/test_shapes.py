"""What `make test` plays in which of the two shapes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tools.pytest_shape import _why_left_out

OWN, SAME = "marked as its own", "the same in both"


@pytest.mark.parametrize(
    ("marks", "fixtures", "embedded", "scaled"),
    [
        ([], [], "", SAME),
        ([], ["monkeypatch", "settings"], "", SAME),
        ([], ["contest", "db"], "", ""),
        ([], ["live", "transactional_db"], "", ""),
        ([], ["door", "site", "own_services"], "", ""),
        (["django_db"], [], "", ""),
        (["both_shapes"], [], "", ""),
        (["scaled"], [], OWN, ""),
        (["embedded"], [], "", OWN),
        (["embedded"], ["db"], "", OWN),
    ],
)
def test_a_test_runs_in_both_shapes_unless_it_is_for_one_or_the_same_in_both(
    monkeypatch: pytest.MonkeyPatch, marks: list[str], fixtures: list[str], embedded: str, scaled: str
) -> None:
    item: Any = SimpleNamespace(fixturenames=fixtures, get_closest_marker=lambda name: True if name in marks else None)
    for shape, why in (("embedded", embedded), ("scaled", scaled)):
        monkeypatch.setenv("FATHOM_TEST_SHAPE", shape)
        assert _why_left_out(item) == why


def test_a_fixture_that_leads_to_the_database_is_seen_through_others(
    request: pytest.FixtureRequest, grace: object
) -> None:
    assert "db" in request.fixturenames, "it was asked for by way of the contest"
