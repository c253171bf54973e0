"""Members of a zip."""

import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from contest.packages.archive.bounded import BoundedReads
from contest.packages.archive.caps import Caps
from contest.packages.archive.members import Kind, Member
from contest.packages.archive.names import shown
from contest.packages.errors import PackageError

# Others (bzip2, LZMA) may ask for far more memory than they hold.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 0x1
DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OverflowError)


@contextmanager
def zip_members(file: IO[bytes], caps: Caps) -> Iterator[Iterator[Member]]:
    """Opens the zip in `file` and gives its members in the order of its directory."""
    piece = max(caps.files * caps.directory_bytes_per_file, 128 * 1024)
    view = BoundedReads(file, piece, _too_many(caps))
    try:
        archive = zipfile.ZipFile(view)
    except DAMAGED as error:
        raise PackageError("The zip is damaged: its directory cannot be read; pack it anew.") from error
    with archive:
        if len(archive.infolist()) > caps.files:
            raise PackageError(_too_many(caps))
        yield (_member(archive, info) for info in archive.infolist())


def _too_many(caps: Caps) -> str:
    return f"The zip holds more than {caps.files} names; split the package or remove what it does not need."


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Member:
    # `filename` has been cut at a NUL already: only the original shows that somebody tried.
    name = info.orig_filename
    if info.flag_bits & _ENCRYPTED:
        raise PackageError(f"{shown(name)} in the zip is encrypted; pack it without a password.")
    if info.compress_type not in _METHODS:
        raise PackageError(f"{shown(name)} in the zip is not compressed by deflate; pack it with plain zip.")
    kind = _kind(info)
    if kind is Kind.LINK:
        return Member(name, kind, lambda: archive.open(info), target=_target(archive, info))
    return Member(name, kind, lambda: archive.open(info))


def _kind(info: zipfile.ZipInfo) -> Kind:
    mode = stat.S_IFMT(info.external_attr >> 16)
    if info.orig_filename.endswith("/"):
        return Kind.FOLDER
    if mode == stat.S_IFLNK:
        return Kind.LINK
    return Kind.FILE if mode in (0, stat.S_IFREG) else Kind.SPECIAL


def _target(archive: zipfile.ZipFile, info: zipfile.ZipInfo, most_bytes: int = 4096) -> str:
    """A zip keeps the target of a link as the contents of the member."""
    try:
        with archive.open(info) as contents:
            return contents.read(most_bytes).decode()
    except (*DAMAGED, UnicodeDecodeError) as error:
        raise PackageError(f"The link {shown(info.orig_filename)} in the zip cannot be read.") from error
