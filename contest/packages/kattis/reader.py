"""A whole package of the ICPC/Kattis format."""

from __future__ import annotations

import hashlib

from contest.packages.archive.tree import Tree
from contest.packages.errors import PackageError
from contest.packages.kattis.data import read_data
from contest.packages.kattis.groups import group_2023
from contest.packages.kattis.legacy_groups import group_legacy
from contest.packages.kattis.limits import read_limits
from contest.packages.kattis.metadata import Metadata, read_metadata
from contest.packages.kattis.statements import Statements, read_statements
from contest.packages.kattis.submissions import read_submissions
from contest.packages.kattis.validator import read_comparison
from contest.packages.model import Credits, ProblemPackage
from contest.packages.notes import Notes

_KNOWN = frozenset(
    {
        "problem.yaml",
        "problem_statement",
        "statement",
        "attachments",
        "data",
        "submissions",
        "output_validator",
        "output_validators",
        "domjudge-problem.ini",
        ".timelimit",
    }
)
_NOT_USED = {
    "input_validators": "inputs are taken as they are",
    "input_format_validators": "inputs are taken as they are",
    "generators": "only the finished test data counts",
    "solution": "solutions are for the authors",
    "input_visualizer": "pictures of test data are not made",
    "output_visualizer": "pictures of outputs are not made",
}
# What would change verdicts if it were left out.
_REFUSED = {
    "include": "adds files to every submission",
    "static_validator": "checks the source of submissions",
    "graders": "computes scores by a program of its own",
}


def read_kattis(tree: Tree) -> ProblemPackage:
    """Reads the package whole, or raises `PackageError` at the first thing that cannot be honoured."""
    notes = Notes()
    metadata = read_metadata(tree, notes)
    notes.found(f"A problem package of the ICPC/Kattis format, version {metadata.version}.")
    _check_top(tree, notes)
    statements = read_statements(tree, metadata, notes)
    limits = read_limits(tree, metadata, notes)
    data = read_data(tree, notes)
    group = group_legacy if metadata.legacy else group_2023
    grouping = group(data, metadata.scoring, notes)
    if grouping.groups:
        total = sum(group.score for group in grouping.groups)
        notes.found(f"{len(grouping.groups) - 1} scored groups worth {total:g} points together.")
    comparison = read_comparison(tree, metadata, grouping.cases, notes)
    submissions = read_submissions(tree, metadata, notes)
    attachments = {path.removeprefix("attachments/"): tree.files[path] for path in tree.below("attachments")}
    metadata.fields.note_unread(notes)
    _note_credits(metadata.credits, notes)
    return ProblemPackage(
        source_format=metadata.version,
        sha256=_fingerprint(tree),
        name=_name(metadata, statements),
        statements=statements.texts,
        images=statements.images,
        limits=limits,
        comparison=comparison,
        cases=tuple(grouping.cases),
        groups=tuple(grouping.groups),
        submissions=submissions,
        attachments=attachments,
        languages=metadata.languages,
        interactive=metadata.interactive,
        credits=metadata.credits,
        uuid=metadata.uuid,
        report=notes.report(),
    )


def _check_top(tree: Tree, notes: Notes) -> None:
    top = tree.folder("")
    for name in (*top.folders, *top.files):
        if name in _REFUSED:
            raise PackageError(f"{name}/ {_REFUSED[name]}, which this site does not do; the verdicts would be wrong.")
        if name in _NOT_USED:
            notes.ignored(f"{name}/: {_NOT_USED[name]}.")
        elif name not in _KNOWN:
            notes.ignored(f"“{name[:60]}” is no part of the format.")


def _name(metadata: Metadata, statements: Statements) -> str:
    """English if there is it, else the first there is; the title in a statement stands in for a missing name."""
    titles = {text.language: text.title for text in statements.texts if text.title}
    names = titles | {language: name for language, name in metadata.names.items() if name}
    if not names:
        raise PackageError("The problem has no name; add “name: …” to problem.yaml.")
    return names.get("en") or next(iter(names.values()))


def _note_credits(credits: Credits, notes: Notes) -> None:
    who = ", ".join(credits.authors) or credits.rights_owner or "nobody named"
    source = f", from {credits.source}" if credits.source else ""
    notes.found(f"By {who[:200]}{source[:200]}; licence: {credits.license[:60]}.")
    if credits.license == "unknown":
        notes.warn("The package names no licence; make sure that you may use the problem.")


def _fingerprint(tree: Tree) -> str:
    """SHA-256 over names and contents, the same however the package was packed."""
    digest = hashlib.sha256()
    for path in sorted(tree.files):
        digest.update(f"{path}\0{tree.files[path].sha256}\n".encode())
    return digest.hexdigest()
