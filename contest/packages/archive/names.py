"""Which names may stand in a package, and where a link leads. Text in, text out."""

import posixpath
import unicodedata

from contest.packages.archive.caps import Caps
from contest.packages.errors import PackageError


def shown(name: str) -> str:
    """A name for a sentence: short, printable, so that a hostile name cannot draw on a terminal."""
    printable = "".join(sign if sign.isprintable() else "�" for sign in name)
    return f"“{printable[:80]}…”" if len(printable) > 80 else f"“{printable}”"


def checked_path(name: str, caps: Caps) -> str:
    """The path of a member relative to the root of the archive, without a trailing slash.

    `./a`, `a//b` and `a/` are what packers write and mean the same; everything that could lead out of the
    archive or mean two things is refused. The archive's own root comes out as the empty text.
    """
    if name.startswith("/"):
        raise PackageError(f"The archive holds the absolute name {shown(name)}; pack it with relative names.")
    if "\\" in name:
        raise PackageError(f"The name {shown(name)} contains a backslash; pack it with forward slashes.")
    parts = [part for part in name.split("/") if part not in ("", ".")]
    for part in parts:
        _check_part(part, name, caps)
    path = "/".join(parts)
    if len(path.encode()) > caps.path_bytes:
        raise PackageError(f"The name {shown(name)} is longer than {caps.path_bytes} bytes; shorten it.")
    return path


def _check_part(part: str, name: str, caps: Caps) -> None:
    if part == "..":
        raise PackageError(f"The name {shown(name)} leads out of the archive by “..”; pack it without.")
    if any(unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp") for sign in part):
        raise PackageError(f"The name {shown(name)} contains an unprintable character; rename the file.")
    if len(part.encode()) > caps.name_bytes:
        raise PackageError(f"The name {shown(name)} is longer than {caps.name_bytes} bytes; shorten it.")


def link_destination(path: str, target: str) -> str:
    """Where the link at `path` leads, as a path in the archive; refused if that is outside."""
    joined = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    if target.startswith("/") or "\\" in target or "\0" in target:
        raise PackageError(f"The link {shown(path)} leads to {shown(target)}; links must be relative.")
    if joined == ".." or joined.startswith("../"):
        raise PackageError(f"The link {shown(path)} leads out of the package; links must stay inside.")
    return "" if joined == "." else joined
