"""The door: an archive or a folder becomes one `ProblemPackage`, or is refused with a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from contest.packages.archive.caps import DEFAULT_CAPS, Caps
from contest.packages.archive.opening import open_tree
from contest.packages.archive.tree import Tree
from contest.packages.errors import PackageError
from contest.packages.kattis.metadata import FILE, VERSIONS, is_kattis
from contest.packages.kattis.reader import read_kattis
from contest.packages.model import ProblemPackage

# Files at the root by which other formats are known, so that a refusal can name what was found.
_OTHERS = {
    "problem.xml": "a Polygon package",
    "init.yml": "a DMOJ package",
    "problem.json": "a package of another judge",
    "config.yml": "a package of another judge",
}


@contextmanager
def open_package(source: Path | IO[bytes], caps: Caps = DEFAULT_CAPS) -> Iterator[ProblemPackage]:
    """Reads the package in `source`: a folder, or a zip or tar.gz by path or as a seekable binary file.

    Test data stays on disk and can be read (`Stored.read`) until the block ends. Raises `PackageError`.
    """
    with open_tree(source, caps) as tree:
        if not is_kattis(tree):
            raise PackageError(_not_understood(tree))
        yield read_kattis(tree)


def _not_understood(tree: Tree) -> str:
    found = next((kind for name, kind in _OTHERS.items() if name in tree.files), None)
    understood = f"Understood are packages of the ICPC/Kattis format ({', '.join(VERSIONS)}), which have a {FILE}"
    if found:
        return f"This looks like {found}. {understood}."
    return f"There is no {FILE} at the top of the package. {understood}."
