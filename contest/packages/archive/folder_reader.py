"""Members of a folder on this machine (`import_problem PATH`)."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from contest.packages.archive.members import Kind, Member

# Of no package; a repository's history alone could exceed every cap.
_SKIPPED = frozenset({".git", ".hg", ".svn", "__pycache__", "__MACOSX", ".DS_Store"})


def folder_members(root: Path) -> Iterator[Member]:
    """Members below `root`, in order of their names. Links are reported, never followed."""
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
            if entry.name in _SKIPPED:
                continue
            path = Path(entry.path)
            member = _member(root, path)
            yield member
            if member.kind is Kind.FOLDER:
                waiting.append(path)


def _member(root: Path, path: Path) -> Member:
    name = path.relative_to(root).as_posix()
    kind = _kind(path.lstat().st_mode)
    target = str(path.readlink()) if kind is Kind.LINK else ""
    return Member(name, kind, lambda: _open(path), target=target)


def _kind(mode: int) -> Kind:
    if stat.S_ISDIR(mode):
        return Kind.FOLDER
    if stat.S_ISLNK(mode):
        return Kind.LINK
    return Kind.FILE if stat.S_ISREG(mode) else Kind.SPECIAL


def _open(path: Path) -> IO[bytes]:
    # Somebody may put a link or a pipe in the file's place after it was looked at: neither is followed or
    # waited for.
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    return os.fdopen(descriptor, "rb")
