"""What both forms of the format share when cases get their groups, flags and scores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from contest.packages.kattis.data import SAMPLE, CaseFiles, Node, TestData
from contest.packages.model import Case, Group


@dataclass(slots=True)
class Grouping:
    """Cases and groups, filled while the folders are walked."""

    cases: list[Case] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)

    def sort(self, data: TestData) -> None:
        """Puts the cases into the order of judging: samples first, then by name folder by folder."""
        names = [case.name for node in (data.sample, data.secret) for case in node.all_cases()]
        order = {name: index for index, name in enumerate(names)}
        self.cases.sort(key=lambda case: order[case.name])


def group_name(node: Node) -> str:
    """`secret/1-small` is shown as `1-small`, cases directly in `secret` as `secret`, all samples as `sample`."""
    return SAMPLE if node.path.split("/")[0] == SAMPLE else node.path.removeprefix("secret/")


def as_cases(node: Node, group: str, flags: tuple[str, ...], score: float) -> Iterator[Case]:
    """The cases that lie directly in the node."""
    return (as_case(files, group, flags, score) for files in node.cases)


def as_case(files: CaseFiles, group: str, flags: tuple[str, ...], score: float) -> Case:
    """One case with what its folder says about it."""
    is_sample = files.name.startswith(f"{SAMPLE}/")
    return Case(files.name, group, is_sample, files.input, files.answer, flags, 0.0 if is_sample else score)


def names_of(groups: Iterable[Group]) -> set[str]:
    """The names that a dependency may name."""
    return {group.name for group in groups}
