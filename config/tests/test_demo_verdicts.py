"""Every sample submission of the demo problems gets the verdict that its author expects, from a real judge."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from contest.demo import LABELS, PROBLEMS
from tools.site_process import SiteProcess

pytestmark = [pytest.mark.slow, pytest.mark.embedded, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> SiteProcess:
    """A site of its own that nobody serves; the command brings a judge along."""
    process = SiteProcess(Path(tmp_path_factory.mktemp("demo")))
    process.manage("migrate", "--verbosity", "0")
    process.manage("demo")
    return process


@pytest.mark.parametrize("label", LABELS)
def test_the_samples_of_a_demo_problem_are_judged_as_expected(site: SiteProcess, label: str) -> None:
    said = site.manage("import_problem", str(PROBLEMS / label), "--contest", "demo", "--label", label)
    assert "version 1 in demo, open to contestants" in said, "the demo was loaded without judging its samples"
    for verdict in ("AC", "WA", "TLE", "RE"):
        assert f": {verdict}, expected {verdict}" in said
    assert "verdicts are as expected." in said
    assert "WARNING" not in said
    assert _processes_of(site) == [], "the judge that the command brought along went with it"


def _processes_of(site: SiteProcess) -> list[str]:
    """Process ids that were started for this site, told from others by its data folder."""
    mark = f"FATHOM_DATA_DIR={site.data_dir}".encode()
    found = []
    for place in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):  # it ended meanwhile
            if mark in place.read_bytes().split(b"\0"):
                found.append(place.parent.name)
    return found
