"""Contents of an archive, written to a private temporary folder while they are counted and hashed."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from contest.packages.archive import tar_reader, zip_reader
from contest.packages.archive.caps import MIB, Caps
from contest.packages.archive.names import shown
from contest.packages.errors import PackageError

CHUNK_BYTES = 64 * 1024
_DAMAGED = (*zip_reader.DAMAGED, *tar_reader.DAMAGED, OSError)


@dataclass(frozen=True, slots=True)
class Stored:
    """Contents of one file: how long, their SHA-256 in hexadecimal, and where they lie for now."""

    size: int
    sha256: str
    place: Path

    def read(self) -> bytes:
        """The contents. Works only while the package is open."""
        return self.place.read_bytes()


@dataclass(slots=True)
class Spool:
    """Writes contents to numbered files in `folder` and refuses what exceeds the caps, while it streams."""

    folder: Path
    caps: Caps
    archive_bytes: int | None
    total_bytes: int = 0
    _number: int = field(default=0)

    def store(self, name: str, opened: Callable[[], IO[bytes]]) -> Stored:
        """Copies what `opened` gives and returns what became of it; `name` is for the sentence only."""
        self._number += 1
        place = self.folder / str(self._number)
        digest, size = hashlib.sha256(), 0
        with place.open("xb") as target:
            for chunk in _chunks(name, opened):
                size += len(chunk)
                self._count(name, size, len(chunk))
                digest.update(chunk)
                target.write(chunk)
        return Stored(size, digest.hexdigest(), place)

    def _count(self, name: str, file_bytes: int, chunk_bytes: int) -> None:
        self.total_bytes += chunk_bytes
        if file_bytes > self.caps.file_bytes:
            most = self.caps.file_bytes // MIB
            raise PackageError(f"{shown(name)} is larger than {most} MiB; make it smaller.")
        if self.total_bytes > self.caps.total_bytes:
            raise PackageError(f"The package unpacks to more than {self.caps.total_bytes // MIB} MiB.")
        if self._too_dense():
            raise PackageError(f"The archive unpacks to more than {self.caps.ratio} times its size; is it a bomb?")

    def _too_dense(self) -> bool:
        if self.archive_bytes is None or self.total_bytes <= self.caps.ratio_free_bytes:
            return False
        return self.total_bytes > self.caps.ratio * self.archive_bytes


def _chunks(name: str, opened: Callable[[], IO[bytes]]) -> Iterator[bytes]:
    try:
        with opened() as contents:
            while chunk := contents.read(CHUNK_BYTES):
                yield chunk
    except _DAMAGED as error:
        raise PackageError(f"{shown(name)} cannot be read: is the archive damaged? Pack it anew.") from error
