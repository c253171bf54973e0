"""`manage.py import_problem`: what is said to the person at the console, and with what exit status."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from config.management.commands import import_problem
from contest.models import Contest, Problem, Record
from contest.models.queue import Status
from contest.packages.tests.packs import MODERN, changed, packed


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "sums.zip"
    path.write_bytes(packed(changed(MODERN) | {"submissions/wrong_answer/w.py": b"print(1)\n"}).getvalue())
    return path


def run(*arguments: str) -> str:
    output = io.StringIO()
    call_command("import_problem", *arguments, stdout=output)
    return output.getvalue()


class _Judge:
    """Stands in for a running judge: gives one verdict each time that it is asked for."""

    def __init__(self, *verdicts: str) -> None:
        self.verdicts = list(verdicts)

    def __call__(self) -> _Judge:
        return self

    def __enter__(self) -> _Judge:
        return self

    def __exit__(self, *_: object) -> None: ...

    def ensure(self) -> None:
        record = Record.objects.filter(status=Status.QUEUED).earliest("pk")
        Record.objects.filter(pk=record.pk).update(status=Status.FINAL, verdict=self.verdicts.pop(0), time_ms=7)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_problem, "LOOK_EVERY_S", 0)


def test_verdicts_are_shown_as_they_come(
    contest: Contest, archive: Path, monkeypatch: pytest.MonkeyPatch, at_once: None
) -> None:
    monkeypatch.setattr(import_problem, "BorrowedJudge", _Judge("AC", "WA"))
    said = run(str(archive))
    assert "B. Sums: version 1 in cup, a draft." in said, "A is taken in this contest"
    assert "  found    Time limit 2.5 s, from problem.yaml." in said
    assert "  ok         accepted/sums.cpp (cpp): AC, expected AC; 7 ms, 0 MiB" in said
    assert said.endswith("All 2 verdicts are as expected.\n")
    assert Problem.objects.get(label="B").is_draft


def test_a_verdict_that_is_not_as_expected_fails_the_command(
    contest: Contest, archive: Path, monkeypatch: pytest.MonkeyPatch, at_once: None
) -> None:
    monkeypatch.setattr(import_problem, "BorrowedJudge", _Judge("TLE", "WA"))
    with pytest.raises(CommandError, match="1 of 2 verdicts"):
        run(str(archive), "--contest", "cup", "--label", "S")


def test_a_package_that_is_refused_fails_the_command_with_its_sentence(contest: Contest, tmp_path: Path) -> None:
    path = tmp_path / "broken.zip"
    path.write_bytes(packed(changed(MODERN, "data/secret/1.ans")).getvalue())
    with pytest.raises(CommandError, match=r"data/secret/1\.ans is missing"):
        run(str(path))
    assert not Problem.objects.filter(label="B").exists()


def test_the_place_must_be_known(contest: Contest, archive: Path) -> None:
    with pytest.raises(CommandError, match="no contest nowhere"):
        run(str(archive), "--contest", "nowhere")
    with pytest.raises(CommandError, match="There is no "):
        run(str(archive.with_name("missing.zip")))
    Contest.objects.create(slug="other", title="Other", starts_at=contest.starts_at, ends_at=contest.ends_at)
    with pytest.raises(CommandError, match="--contest, one of: cup, other"):
        run(str(archive))
