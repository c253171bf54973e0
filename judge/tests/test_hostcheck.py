"""A host on which programs could read what is not theirs is told so, and judges nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from judge.hostcheck import check_host
from judge.paths import HELPER_CACHE

pytestmark = pytest.mark.embedded  # no database is involved


def blocking(private: Path) -> list[str]:
    return [finding.sentence for finding in check_host(HELPER_CACHE, private) if finding.blocks]


def test_the_data_folder_is_never_where_programs_run_as_its_owner_can_see_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hidden = tmp_path / "var"
    hidden.symlink_to("/usr/share")
    assert blocking(tmp_path) == []
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    for private in (Path("/usr/local/fathom/var"), hidden):
        (sentence,) = blocking(private)
        assert str(private) in sentence
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert blocking(Path("/usr/local/fathom/var")) == [], "a slot's own user id cannot enter it"
