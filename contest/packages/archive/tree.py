"""The files of a package by their paths: what is left of an archive once it has been believed."""

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from contest.packages.archive.spool import Stored


def parent_of(path: str) -> str:
    """The folder that `path` lies in; the empty text is the root."""
    return posixpath.dirname(path)


def base_name(path: str) -> str:
    """The last part of `path`."""
    return posixpath.basename(path)


def join(folder: str, name: str) -> str:
    """`name` in `folder`, where the empty text is the root."""
    return f"{folder}/{name}" if folder else name


@dataclass(frozen=True, slots=True)
class Folder:
    """Names in one folder, sorted."""

    files: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()


@dataclass(frozen=True)
class Tree:
    """Plain files only; links have become what they lead to."""

    files: Mapping[str, Stored]
    folders: Mapping[str, Folder]

    @classmethod
    def of(cls, files: Mapping[str, Stored]) -> "Tree":
        """The tree of these files; folders without any file do not exist in it."""
        names: dict[str, tuple[set[str], set[str]]] = {"": (set(), set())}
        for path in files:
            names.setdefault(parent_of(path), (set(), set()))[0].add(base_name(path))
            folder = parent_of(path)
            while folder:
                names.setdefault(parent_of(folder), (set(), set()))[1].add(base_name(folder))
                folder = parent_of(folder)
        folders = {path: Folder(tuple(sorted(f)), tuple(sorted(d))) for path, (f, d) in names.items()}
        return cls(dict(files), folders)

    def folder(self, path: str) -> Folder:
        """Names in the folder `path`; empty where there is no such folder."""
        return self.folders.get(path, Folder())

    def has_folder(self, path: str) -> bool:
        """Whether any file lies below `path`."""
        return path in self.folders

    def below(self, path: str) -> Iterator[str]:
        """Paths of all files in the folder `path` and in its folders, sorted folder by folder."""
        folder = self.folder(path)
        for name in folder.files:
            yield join(path, name)
        for name in folder.folders:
            yield from self.below(join(path, name))

    def at(self, root: str) -> "Tree":
        """What lies below `root`, with paths relative to it."""
        start = len(root) + 1 if root else 0
        return Tree.of({path[start:]: self.files[path] for path in self.below(root)})
