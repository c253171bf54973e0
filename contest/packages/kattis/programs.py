"""Programs in a package: which files belong to one, and its language by the endings of their names."""

from __future__ import annotations

from dataclasses import dataclass

from contest.packages.archive.caps import KIB, MIB
from contest.packages.archive.tree import Tree, base_name, join
from contest.packages.errors import PackageError
from contest.packages.kattis.constants import Constants
from contest.packages.model import Program, SourceFile

# Ending → the site's language id; from the format's table of languages, as far as this site knows them.
_ENDINGS = {
    "c": "c",
    "cc": "cpp",
    "cpp": "cpp",
    "cxx": "cpp",
    "c++": "cpp",
    "C": "cpp",
    "py": "python",
    "py3": "python",
    "java": "java",
    "js": "javascript",
    "go": "go",
    "rs": "rust",
    "pas": "pascal",
}
_HEADERS = frozenset({"h", "hh", "hpp", "hxx"})
# The format's names for languages where they differ from this site's.
_NAMES = {"python3": "python", "python": "python", **{name: name for name in _ENDINGS.values()}}
MOST_SUBMISSION_BYTES = 256 * KIB
MOST_PROGRAM_BYTES = MIB


@dataclass(frozen=True, slots=True)
class ProgramPlace:
    """A program as it lies in the package: a file, or a folder that counts as one program."""

    path: str
    files: tuple[str, ...]


def site_language(name: str) -> str | None:
    """The site's id of a language that the format names, or None."""
    return _NAMES.get(name)


def programs_in(tree: Tree, folder: str) -> list[ProgramPlace]:
    """The programs directly in `folder`, sorted by name; files that start with a point are none."""
    inside = tree.folder(folder)
    files = [join(folder, name) for name in inside.files if not name.startswith(".")]
    folders = [join(folder, name) for name in inside.folders if not name.startswith((".", "__"))]
    places = [ProgramPlace(path, (path,)) for path in files]
    places += [ProgramPlace(path, tuple(tree.below(path))) for path in folders]
    return sorted(places, key=lambda place: place.path)


def language_of(tree: Tree, place: ProgramPlace) -> str | None:
    """The one language of all source files, or None if there is none, more than one, or an unknown one."""
    endings = {base_name(path).rpartition(".")[2] for path in place.files}
    languages = {_ENDINGS.get(ending) for ending in endings - _HEADERS}
    if len(languages) != 1:
        return None
    language = languages.pop()
    return None if language == "python" and _asks_for_python2(tree, place) else language


def _asks_for_python2(tree: Tree, place: ProgramPlace) -> bool:
    return any(b"python2" in tree.files[path].read()[:80].split(b"\n")[0] for path in place.files)


def load_program(
    tree: Tree, place: ProgramPlace, language: str, constants: Constants, most_bytes: int = MOST_PROGRAM_BYTES
) -> Program:
    """The program's files with constants put in. Files in folders of the program are not supported."""
    if sum(tree.files[path].size for path in place.files) > most_bytes:
        raise PackageError(f"The program {place.path} is longer than {most_bytes // KIB} KiB; shorten it.")
    files = [
        SourceFile(_flat_name(place, path), constants.put_into(tree.files[path].read(), path, most_bytes))
        for path in place.files
    ]
    return Program(language, tuple(files))


def _flat_name(place: ProgramPlace, path: str) -> str:
    if path == place.path:
        return base_name(path)
    name = path[len(place.path) + 1 :]
    if "/" in name:
        raise PackageError(f"The program {place.path} has folders inside; put all its files into one folder.")
    return name
