"""Problems as a contestant meets them: which there are, how one stands, what a statement says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import BinaryField
from django.db.models.functions import Substr

from contest.access import Rights
from contest.models import Contest, PackageTest, Problem, Record
from contest.presenters import present_record
from contest.rules.feedback import reduce_summary

SAMPLE_SHOWN_BYTES = 16 * 1024
"""More of a sample is offered as a file only: nobody reads it, and the page stays light."""


@dataclass(frozen=True)
class OwnState:
    """How one contestant stands with one problem, as far as the contest's feedback lets them know."""

    word: str = "untried"  # untried, pending, hidden, tried, solved
    score: float | None = None
    attempts: int = 0


@dataclass(frozen=True)
class Sample:
    index: int
    name: str
    input: str
    answer: str
    is_cut: bool


def visible_problems(contest: Contest, rights: Rights) -> list[Problem]:
    """In order; none before the start, drafts for staff only."""
    if not rights.may_see_problems:
        return []
    problems = contest.problems.select_related("package")
    # The statement's texts are long and a list does not need them.
    problems = problems.defer("package__statements", "package__report", "package__images")
    return list(problems if rights.is_staff else problems.filter(is_draft=False))


def find_problem(contest: Contest, rights: Rights, label: str) -> Problem | None:
    """The problem if the viewer may see it; nothing says whether a hidden one exists."""
    if not rights.may_see_problems:
        return None
    problem = contest.problems.select_related("package").filter(label=label).first()
    if problem is None or (problem.is_draft and not rights.is_staff):
        return None
    problem.contest = contest
    return problem


def own_states(contest: Contest, rights: Rights) -> dict[int, OwnState]:
    """Problem id → how the viewer stands: one query over their own records."""
    if rights.user_id is None:
        return {}
    records = defaultdict(list)
    own = contest.records.filter(user_id=rights.user_id).exclude(purpose=Record.Purpose.PACKAGE)
    for record in own.select_related("problem", "user").defer("source", "compiler_output", "staff_message"):
        records[record.problem_id].append(reduce_summary(present_record(record), rights.own_feedback))
    return {problem_id: _own_state(summaries) for problem_id, summaries in records.items()}


def samples(problem: Problem) -> list[Sample]:
    if problem.package_id is None:
        return []
    tests = PackageTest.objects.filter(package_id=problem.package_id, is_sample=True)
    # The database cuts: a sample may be as large as any other file of a package, and every page view reads it.
    rows = tests.values_list(
        "index", "name", "input__size_bytes", "answer__size_bytes", _head("input"), _head("answer")
    )
    return [
        Sample(index, name, _text(given), _text(answer), max(given_bytes, answer_bytes) > SAMPLE_SHOWN_BYTES)
        for index, name, given_bytes, answer_bytes, given, answer in rows
    ]


def find_sample(problem: Problem, index: int) -> PackageTest | None:
    tests = PackageTest.objects.filter(package__current_for=problem, is_sample=True, index=index)
    return tests.select_related("input", "answer").first()


def choose_statement_language(available: Sequence[str], wanted: Sequence[str]) -> str | None:
    """The first of `wanted` language tags that is there, exactly or by its main language; else English, else any."""
    by_tag = {tag.lower(): tag for tag in available}
    for tag in [*(tag.lower() for tag in wanted), "en"]:
        if tag in by_tag:
            return by_tag[tag]
        main = tag.split("-")[0]
        near = next((found for low, found in by_tag.items() if low.split("-")[0] == main), None)
        if near is not None:
            return near
    return next(iter(available), None)


def _own_state(summaries: Sequence[dict[str, object]]) -> OwnState:
    verdicts = [summary["verdict"] for summary in summaries]
    scores = [score for summary in summaries if isinstance(score := summary["score"], int | float)]
    best = max(scores, default=None)
    if "AC" in verdicts:
        word = "solved"
    elif any(summary["status"] != "final" for summary in summaries):
        word = "pending"
    elif any(verdict is None for verdict in verdicts):
        word = "hidden"
    else:
        word = "tried"
    return OwnState(word, best, len(summaries))


def _head(file: str) -> Substr:
    """The shown part of a test's file."""
    return Substr(f"{file}__data", 1, SAMPLE_SHOWN_BYTES, output_field=BinaryField())


def _text(data: bytes | memoryview) -> str:
    return bytes(data).decode("utf-8", "replace")
