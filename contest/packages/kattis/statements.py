"""The statement of a problem in its languages, with the pictures that it shows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from contest.packages.archive.caps import MIB
from contest.packages.archive.spool import Stored
from contest.packages.archive.tree import Tree, join
from contest.packages.errors import PackageError
from contest.packages.kattis.latex import latex_to_markdown
from contest.packages.kattis.metadata import Metadata
from contest.packages.model import Statement
from contest.packages.notes import Notes

_FILE = re.compile(r"problem(?:[.-]([a-z]{2,3}(?:-[A-Z]{2})?))?\.(tex|md|pdf)")
# Where both are given, the one that a page can show best.
_PREFERENCE = ("md", "tex", "pdf")
_PICTURES = {"png": b"\x89PNG\r\n\x1a\n", "jpg": b"\xff\xd8\xff", "jpeg": b"\xff\xd8\xff", "gif": b"GIF8"}
# Tags that say where samples go; this site shows all samples below the statement.
_SAMPLE_TAG = re.compile(r"\{\{ *(?:nextsample|remainingsamples) *\}\}")
MOST_TEXT_BYTES = MIB
MOST_PICTURE_BYTES = 4 * MIB
# Every page of the problem reads the texts of all languages.
MOST_LANGUAGES = 40


@dataclass(frozen=True, slots=True)
class Statements:
    """Statements sorted by language, and pictures by the name that they are shown by."""

    texts: tuple[Statement, ...]
    images: Mapping[str, Stored]


def read_statements(tree: Tree, metadata: Metadata, notes: Notes) -> Statements:
    """Every language's statement; a package without any is refused."""
    folder = _folder(tree, metadata, notes)
    files = _files(tree, folder)
    if not files:
        raise PackageError(
            f"The package has no statement; add {folder}/problem.en.md (or .tex, .pdf) with the text of the problem."
        )
    if len(files) > MOST_LANGUAGES:
        raise PackageError(f"The package has statements in more than {MOST_LANGUAGES} languages; remove some.")
    texts = tuple(_read(tree, language, path, metadata, notes) for language, path in sorted(files.items()))
    notes.found(f"Statement in {', '.join(text.language for text in texts)}.")
    return Statements(texts, _images(tree, folder, notes))


def _folder(tree: Tree, metadata: Metadata, notes: Notes) -> str:
    """`problem_statement` in the legacy form, `statement` since; the other one is taken if it is the only one."""
    right, other = "statement", "problem_statement"
    if metadata.legacy:
        right, other = other, right
    if not tree.has_folder(right) and tree.has_folder(other):
        notes.warn(f"The statement is in {other}/, which in this version of the format should be {right}/.")
        return other
    return right


def _files(tree: Tree, folder: str) -> dict[str, str]:
    """Language → path of its best file."""
    best: dict[str, tuple[int, str]] = {}
    for name in tree.folder(folder).files:
        if match := _FILE.fullmatch(name):
            language, rank = match[1] or "en", _PREFERENCE.index(match[2])
            if language not in best or rank < best[language][0]:
                best[language] = (rank, join(folder, name))
    return {language: path for language, (_, path) in best.items()}


def _read(tree: Tree, language: str, path: str, metadata: Metadata, notes: Notes) -> Statement:
    title = metadata.names.get(language, "")
    if path.endswith(".pdf"):
        if not tree.files[path].read().startswith(b"%PDF-"):
            raise PackageError(f"{path} is no PDF; export the statement anew.")
        return Statement(language, title, pdf=tree.files[path])
    text = _text(tree, path, metadata)
    if path.endswith(".md"):
        return Statement(language, title, markdown=_SAMPLE_TAG.sub("", text))
    markdown, name, unknown = latex_to_markdown(text)
    notes.warn(f"{path} is LaTeX and is shown as Markdown made from it; compare the page with the original.")
    if unknown:
        names = ", ".join(f"\\{command}" for command in unknown[:20])
        notes.warn(f"{path} uses LaTeX that was dropped, its text kept: {names}.")
    return Statement(language, title or name, markdown=markdown)


def _text(tree: Tree, path: str, metadata: Metadata) -> str:
    if tree.files[path].size > MOST_TEXT_BYTES:
        raise PackageError(f"{path} is longer than {MOST_TEXT_BYTES // MIB} MiB; a statement is shorter.")
    try:
        contents = metadata.constants.put_into(tree.files[path].read(), path, MOST_TEXT_BYTES)
        text = contents.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise PackageError(f"{path} is not UTF-8; save it as UTF-8.") from error
    if "\0" in text:
        raise PackageError(f"{path} contains a NUL character; is it a text file? Correct it.")
    return text


def _images(tree: Tree, folder: str, notes: Notes) -> dict[str, Stored]:
    """Pictures beside the statement that are what their names say."""
    images = {}
    for name in tree.folder(folder).files:
        if _FILE.fullmatch(name):
            continue
        stored = tree.files[join(folder, name)]
        magic = _PICTURES.get(name.rpartition(".")[2].lower())
        if magic is None or stored.size > MOST_PICTURE_BYTES or not stored.read().startswith(magic):
            notes.ignored(f"{join(folder, name)} is not a PNG, JPEG or GIF of at most 4 MiB, so no page shows it.")
        else:
            images[name] = stored
    return images
