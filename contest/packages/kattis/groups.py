"""Flags and scores of test cases by the rules of 2023-07: keys of `test_group.yaml`, some of them inherited."""

from __future__ import annotations

from dataclasses import dataclass

from contest.packages.errors import PackageError
from contest.packages.fields import Fields
from contest.packages.kattis.data import CaseFiles, Node, TestData
from contest.packages.kattis.grouping import Grouping, as_case, group_name, names_of
from contest.packages.model import Group, GroupMode
from contest.packages.notes import Notes

_DEFAULT_SCORE = 100.0
_MOST_SCORE = 1_000_000.0
_KEYS = ("input_validator_args", "full_feedback", "hint", "description", "scoring")


@dataclass(slots=True)
class _Walk:
    """One pass over the folders of the test data."""

    scoring: bool
    notes: Notes
    grouping: Grouping

    def sample(self, node: Node, flags: tuple[str, ...]) -> None:
        """Samples are judged but give no points; other groups may ask that they are passed."""
        if self.scoring:
            self.grouping.groups.append(Group("sample", 0.0, GroupMode.MIN))
        self.take(node, "sample" if self.scoring else "", flags, 0.0)

    def secret(self, node: Node, flags: tuple[str, ...]) -> None:
        """The secret half: without scoring all alike, else by the rules of its folders."""
        if not self.scoring:
            self.take(node, "", flags, 0.0)
            return
        score = _number(node, "score")
        self.group(node, flags, _DEFAULT_SCORE if score is None else score, "sum", ())

    def take(self, node: Node, group: str, flags: tuple[str, ...], score: float) -> None:
        """All cases below the node, in one group; each of its own cases is worth `score`."""
        flags = self.flags(node.settings, flags)
        self.own(node, group, flags, score)
        for child in node.children:
            self.take(child, group, flags, 0.0)

    def own(self, node: Node, group: str, flags: tuple[str, ...], score: float) -> None:
        """The cases directly in the node."""
        for files in node.cases:
            self.grouping.cases.append(as_case(files, group, self.case_flags(files, flags), score))

    def group(
        self, node: Node, flags: tuple[str, ...], most: float, default_mode: str, required: tuple[str, ...]
    ) -> None:
        """A scored folder that is worth `most`; what its parents require it requires too."""
        mode = _section(node).choice("aggregation", ("pass-fail", "sum", "min"), default_mode)
        depends = (*required, *self.depends(node))
        if mode != "sum":
            self.grouping.groups.append(Group(group_name(node), most, GroupMode.MIN, depends))
            self.take(node, group_name(node), flags, 0.0)
            return
        flags = self.flags(node.settings, flags)
        scores = [_number(child, "score") for child in node.children]
        each = _share(node, most, scores)
        if node.cases:
            own = Group(group_name(node), each * len(node.cases), GroupMode.SUM, depends)
            self.grouping.groups.append(own)
        self.own(node, group_name(node), flags, each)
        for child, score in zip(node.children, scores, strict=True):
            self.group(child, flags, each if score is None else score, "pass-fail", depends)

    def depends(self, node: Node) -> tuple[str, ...]:
        """The groups that must be passed, which must have come before."""
        section = _section(node)
        names = tuple(path.strip("/").removeprefix("secret/") for path in section.texts("require_pass"))
        for name in names:
            if name not in names_of(self.grouping.groups):
                raise PackageError(
                    f"{section.where} requires “{name[:60]}”, which is no scored group before it; correct it."
                )
        for key in ("score", "aggregation"):
            section.get(key)
        section.note_unread(self.notes)
        return names

    def flags(self, settings: Fields | None, inherited: tuple[str, ...]) -> tuple[str, ...]:
        """The arguments for the output validator, as far as nothing nearer to the case says otherwise."""
        if settings is None:
            return inherited
        if settings.get("static_validation"):
            raise PackageError(f"{settings.where} asks for a check of the source itself, which this site does not do.")
        for key in _KEYS:
            settings.get(key)
        # What drafts of this version called it.
        older = settings.words("output_validator_flags")
        own = settings.get("output_validator_args")
        settings.note_unread(self.notes)
        return settings.texts("output_validator_args") if own is not None else older or inherited

    def case_flags(self, files: CaseFiles, inherited: tuple[str, ...]) -> tuple[str, ...]:
        """As `flags`, for one case."""
        return self.flags(files.settings, inherited)


def group_2023(data: TestData, scoring: bool, notes: Notes) -> Grouping:
    """Cases with their flags; for a scoring problem with groups and scores too."""
    walk = _Walk(scoring, notes, Grouping())
    root = walk.flags(data.settings, ())
    walk.sample(data.sample, root)
    walk.secret(data.secret, root)
    walk.grouping.sort(data)
    return walk.grouping


def _section(node: Node) -> Fields:
    return node.settings.section("scoring") if node.settings else Fields({}, f"data/{node.path}")


def _number(node: Node, key: str) -> float | None:
    section = _section(node)
    if section.get(key) == "unbounded":
        raise PackageError(f"{section.where} has no largest score (unbounded), which this site cannot use.")
    return section.number(key, 0, _MOST_SCORE)


def _share(node: Node, most: float, scores: list[float | None]) -> float:
    """What each case and each folder without a score of its own gets of `most`."""
    given = sum(score for score in scores if score is not None)
    shares = len(node.cases) + sum(score is None for score in scores)
    if given > most + 1e-9:
        raise PackageError(f"The groups in data/{node.path} are worth {given:g} together, more than {most:g}.")
    return (most - given) / shares if shares else 0.0
