"""Members of a tar, plain or compressed by gzip."""

import gzip
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from contest.packages.archive.bounded import BoundedReads
from contest.packages.archive.caps import Caps
from contest.packages.archive.members import Kind, Member
from contest.packages.archive.names import shown
from contest.packages.errors import PackageError

CHUNK_BYTES = 64 * 1024
DAMAGED = (tarfile.TarError, zlib.error, EOFError, ValueError, OverflowError, RecursionError)
_BLOCK_BYTES = 512


@contextmanager
def gzip_tar_members(file: IO[bytes], caps: Caps, archive_bytes: int) -> Iterator[Iterator[Member]]:
    """Unpacks the gzip into a temporary file, under the caps, and gives the members of the tar in it.

    A tar read straight through gzip would jump back and forth by unpacking again and again.
    """
    with tempfile.TemporaryFile() as plain:
        _gunzip(file, plain, caps, archive_bytes)
        plain.seek(0)
        with tar_members(plain, caps) as members:
            yield members


def _gunzip(file: IO[bytes], plain: IO[bytes], caps: Caps, archive_bytes: int) -> None:
    # Every member costs a header and its padding, which are no contents.
    most = caps.total_bytes + caps.files * 4 * _BLOCK_BYTES
    most = min(most, max(caps.ratio_free_bytes + caps.files * _BLOCK_BYTES, caps.ratio * archive_bytes))
    written = 0
    try:
        with gzip.GzipFile(fileobj=file) as stream:
            while chunk := stream.read(CHUNK_BYTES):
                written += len(chunk)
                if written > most:
                    raise PackageError("The archive unpacks to more than is accepted; is it a bomb?")
                plain.write(chunk)
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise PackageError("The gzip is damaged or cut off; pack it anew.") from error


@contextmanager
def tar_members(file: IO[bytes], caps: Caps) -> Iterator[Iterator[Member]]:
    """Opens the plain tar in `file` and gives its members in order."""
    # Contents pass through the same view, in pieces of at most CHUNK_BYTES.
    piece = max(caps.header_bytes, CHUNK_BYTES)
    view = BoundedReads(file, piece, "The tar has a header that is far too long; pack it anew.")
    try:
        archive = tarfile.TarFile(fileobj=view)
    except DAMAGED as error:
        raise PackageError("The tar is damaged: its first header cannot be read; pack it anew.") from error
    with archive:
        yield _members(archive)


def _members(archive: tarfile.TarFile) -> Iterator[Member]:
    """Asks for one header after the other. The caller counts, so a tar that goes round in circles ends."""
    while True:
        try:
            info = archive.next()
        except DAMAGED as error:
            raise PackageError("The tar is damaged: a header cannot be read; pack it anew.") from error
        if info is None:
            return
        yield _member(archive, info)


def _member(archive: tarfile.TarFile, info: tarfile.TarInfo) -> Member:
    if info.size < 0 or info.sparse is not None:
        raise PackageError(f"{shown(info.name)} in the tar is sparse or has no honest size; pack it anew.")

    def contents() -> IO[bytes]:
        file = archive.extractfile(info)
        if file is None:
            raise PackageError(f"{shown(info.name)} in the tar has no contents.")
        return file

    return Member(info.name, _kind(info), contents, target=info.linkname, from_root=info.islnk())


def _kind(info: tarfile.TarInfo) -> Kind:
    if info.isdir():
        return Kind.FOLDER
    if info.issym() or info.islnk():
        return Kind.LINK
    return Kind.FILE if info.isreg() else Kind.SPECIAL
