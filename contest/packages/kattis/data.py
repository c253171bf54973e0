"""Test data: the folders below `data/sample` and `data/secret` as a tree of cases, with their settings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from contest.packages.archive.spool import Stored
from contest.packages.archive.tree import Tree, base_name, join
from contest.packages.errors import PackageError
from contest.packages.fields import Fields
from contest.packages.notes import Notes
from contest.packages.safe_yaml import load_yaml

MOST_NAME = 100
MOST_DEPTH = 8
MOST_ANSWERLESS = 3
SAMPLE, SECRET = "sample", "secret"
_SETTINGS = ("test_group.yaml", "testdata.yaml")
_BESIDE = re.compile(r"\.(hint|desc|png|jpg|jpeg|svg|out|interaction|md|yaml|(in|ans)\.(statement|download))$")


@dataclass(frozen=True, slots=True)
class CaseFiles:
    """One case: its name relative to `data`, its files and what its own YAML says."""

    name: str
    input: Stored
    answer: Stored
    settings: Fields


@dataclass(frozen=True, slots=True)
class Node:
    """One folder of test data, by its path relative to `data`; `settings` is what its own YAML says."""

    path: str
    cases: tuple[CaseFiles, ...]
    children: tuple[Node, ...]
    settings: Fields | None

    def all_cases(self) -> Iterator[CaseFiles]:
        """Cases of this folder and those below, in the order of judging: by name, folder by folder."""
        items: list[CaseFiles | Node] = [*self.cases, *self.children]
        for item in sorted(items, key=lambda item: item.name if isinstance(item, CaseFiles) else item.path):
            if isinstance(item, CaseFiles):
                yield item
            else:
                yield from item.all_cases()


@dataclass(frozen=True, slots=True)
class TestData:
    """Both halves of the test data; `settings` is what `data/` itself says."""

    sample: Node
    secret: Node
    settings: Fields | None


def read_data(tree: Tree, notes: Notes) -> TestData:
    """All cases. A missing input or answer, or no secret case at all, refuses the package."""
    sample = _node(tree, SAMPLE, notes, 0)
    secret = _node(tree, SECRET, notes, 0)
    count = sum(1 for _ in secret.all_cases())
    if count == 0:
        raise PackageError("The package has no secret test case; add files *.in and *.ans to data/secret/.")
    for name in tree.folder("data").folders:
        if name not in (SAMPLE, SECRET):
            notes.ignored(f"data/{name}/: cases that test the validators, not submissions.")
    notes.found(f"{sum(1 for _ in sample.all_cases())} sample and {count} secret test cases.")
    return TestData(sample, secret, _settings(tree, "data"))


def _node(tree: Tree, path: str, notes: Notes, depth: int) -> Node:
    if depth > MOST_DEPTH or len(path) > MOST_NAME:
        raise PackageError(f"The test data in data/{path[:80]} lies too deep or has too long a name; flatten it.")
    place = join("data", path)
    inside = tree.folder(place)
    for name in inside.folders:
        if name.endswith(".files"):
            raise PackageError(f"{join(place, name)}/: this site gives no files to submissions, only their input.")
    cases = _cases(tree, path, inside.files, notes)
    children = tuple(_node(tree, join(path, name), notes, depth + 1) for name in inside.folders)
    return Node(path, cases, tuple(child for child in children if any(child.all_cases())), _settings(tree, place))


def _cases(tree: Tree, path: str, names: tuple[str, ...], notes: Notes) -> tuple[CaseFiles, ...]:
    place = join("data", path)
    stems = [name[:-3] for name in names if name.endswith(".in")]
    missing = [stem for stem in stems if f"{stem}.ans" not in names]
    if missing:
        shown = ", ".join(join(place, f"{stem}.ans") for stem in missing[:MOST_ANSWERLESS])
        raise PackageError(f"The answer file {shown} is missing; add it, or remove the input.")
    _check_others(place, names, set(stems), notes)
    return tuple(_case(tree, path, stem) for stem in stems)


def _check_others(place: str, names: tuple[str, ...], stems: set[str], notes: Notes) -> None:
    """Files that are no input: an answer without one is an error, pictures and hints are passed over."""
    for name in names:
        if name.endswith(".ans") and name[:-4] not in stems:
            raise PackageError(f"The input {join(place, name[:-4])}.in is missing; add it, or remove the answer.")
        if name.endswith(".args"):
            raise PackageError(f"{join(place, name)}: this site gives no arguments to submissions, only their input.")
        if name.endswith((".in", ".ans")) or name in _SETTINGS:
            continue
        if name.endswith((".in.statement", ".ans.statement")):
            notes.warn(f"{join(place, name)} is ignored: samples are shown as they are judged.")
        elif not name.endswith(".yaml"):
            known = "pictures, hints and descriptions" if _BESIDE.search(name) else f"“{base_name(name)[:60]}”"
            notes.ignored(f"{place}/: {known} beside the test cases.")


def _case(tree: Tree, path: str, stem: str) -> CaseFiles:
    name = join(path, stem)
    if len(name) > 2 * MOST_NAME:
        raise PackageError(f"The name of the test case data/{name[:80]}… is too long; shorten it.")
    place = join("data", name)
    own = f"{place}.yaml"
    settings = Fields.of(load_yaml(tree.files[own].read(), own) if own in tree.files else None, own)
    if settings.texts("args"):
        raise PackageError(f"{own} gives arguments to submissions; this site gives them only their input.")
    for key in ("input_validator_args", "full_feedback", "hint", "description"):
        settings.get(key)
    return CaseFiles(name, tree.files[f"{place}.in"], tree.files[f"{place}.ans"], settings)


def _settings(tree: Tree, place: str) -> Fields | None:
    """What the YAML of a folder says; `test_group.yaml` since 2023-07, `testdata.yaml` before."""
    for name in _SETTINGS:
        path = join(place, name)
        if path in tree.files:
            return Fields.of(load_yaml(tree.files[path].read(), path), path)
    return None
