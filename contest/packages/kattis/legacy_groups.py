"""Flags and scores of test cases by the legacy rules: a `testdata.yaml` holds for its folder and those below."""

from __future__ import annotations

from contest.packages.errors import PackageError
from contest.packages.fields import Fields
from contest.packages.kattis.data import Node, TestData
from contest.packages.kattis.grouping import Grouping, as_cases, group_name
from contest.packages.model import Group, GroupMode
from contest.packages.notes import Notes

_SCORE_MODES = ("sum", "avg", "min", "max")
_MOST_SCORE = 1_000_000.0
_KEYS = ("on_reject", "grading", "grader_flags", "input_validator_flags", "accept_score", "reject_score", "range")


def group_legacy(data: TestData, scoring: bool, notes: Notes) -> Grouping:
    """Cases with their flags; for a scoring problem with groups and scores too."""
    root = data.settings or Fields({}, "data/testdata.yaml")
    grouping = Grouping()
    if scoring:
        grouping.groups.append(Group("sample", 0.0, GroupMode.MIN))
    _walk(data.sample, root, grouping, False, notes)
    _walk(data.secret, root, grouping, scoring, notes)
    grouping.sort(data)
    return grouping


def _walk(node: Node, inherited: Fields, grouping: Grouping, scoring: bool, notes: Notes) -> None:
    settings = node.settings or inherited
    flags = _output_flags(settings)
    score = _score(node, settings, grouping) if scoring else 0.0
    group = group_name(node) if grouping.groups else ""
    grouping.cases.extend(as_cases(node, group, flags, score))
    for child in node.children:
        _walk(child, settings, grouping, scoring, notes)
    for key in _KEYS:
        settings.get(key)
    settings.note_unread(notes)


def _output_flags(settings: Fields) -> tuple[str, ...]:
    value = settings.get("output_validator_flags")
    if isinstance(value, dict):
        return settings.section("output_validator_flags").words("flags")
    return settings.words("output_validator_flags")


def _score(node: Node, settings: Fields, grouping: Grouping) -> float:
    """Adds the node's group and returns what each of its own cases is worth in it."""
    if settings.choice("grading", ("default", "custom"), "default") == "custom":
        raise PackageError(f"{settings.where} asks for a grader of its own, which this site does not run.")
    settings.choice("on_reject", ("break", "continue"), "break")
    if settings.number("reject_score", -_MOST_SCORE, _MOST_SCORE):
        raise PackageError(f"{settings.where} gives points to rejected cases, which this site does not.")
    accept = settings.number("accept_score", 0, _MOST_SCORE)
    mode = _mode(settings)
    if node.children and mode != "sum":
        raise PackageError(f"{settings.where} combines groups by “{mode}”; this site only adds them up.")
    if not node.cases:
        return 0.0
    return _add_group(node, mode, 1.0 if accept is None else accept, grouping)


def _mode(settings: Fields) -> str:
    modes = [flag for flag in settings.words("grader_flags") if flag in _SCORE_MODES]
    if "max" in modes[-1:]:
        raise PackageError(f"{settings.where} scores a group by its best case (max), which this site does not.")
    return modes[-1] if modes else "sum"


def _add_group(node: Node, mode: str, accept: float, grouping: Grouping) -> float:
    count = len(node.cases)
    if mode == "min":
        grouping.groups.append(Group(group_name(node), accept, GroupMode.MIN))
        return 0.0
    each = accept / count if mode == "avg" else accept
    grouping.groups.append(Group(group_name(node), each * count, GroupMode.SUM))
    return each
