"""A view of a file that refuses big single reads.

The standard readers take some headers in one piece, as long as the archive says that they are: a zip's
central directory, a tar's long names. This view is what keeps such a claim from being a memory bomb.
"""

import io
from typing import IO

from contest.packages.errors import PackageError


class BoundedReads(io.RawIOBase):
    """Reads like `raw`, but refuses a piece of more than `piece_bytes`."""

    def __init__(self, raw: IO[bytes], piece_bytes: int, sentence: str) -> None:
        super().__init__()
        self._raw = raw
        self._piece_bytes = piece_bytes
        self._sentence = sentence

    def read(self, size: int | None = -1, /) -> bytes:
        wanted = self._piece_bytes + 1 if size is None or size < 0 else size
        if size is not None and size > self._piece_bytes:
            raise PackageError(self._sentence)
        piece = self._raw.read(wanted)
        if len(piece) > self._piece_bytes:
            raise PackageError(self._sentence)
        return piece

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        return self._raw.seek(offset, whence)

    def tell(self) -> int:
        return self._raw.tell()

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True
