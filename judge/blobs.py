"""Test data on this machine's disk: a bounded cache of what the database holds, by content hash."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from contest.models import Blob

DEFAULT_BOUND_BYTES = 2 * 1024**3
# Younger files are never removed: a case that was just handed out may still be in use.
_KEEP_S = 600
# The folder is measured anew after this many bytes were added.
_MEASURE_EVERY_BYTES = 64 * 1024**2


class DamagedBlob(Exception):
    """The database holds other bytes than the hash says."""


@dataclass(slots=True)
class BlobCache:
    """Several slots may share one folder: files appear whole, by renaming."""

    folder: Path
    bound_bytes: int = DEFAULT_BOUND_BYTES
    _added: int = 0

    def path(self, sha256: str) -> Path:
        """A file with these contents, readable by the slot's user, never changed. Fetched if it is not here."""
        path = self.folder / sha256[:2] / sha256
        try:
            os.utime(path)  # remembers when it was last used
        except FileNotFoundError:
            self._fetch(sha256, path)
        return path

    def read(self, sha256: str) -> bytes:
        return self.path(sha256).read_bytes()

    def _fetch(self, sha256: str, path: Path) -> None:
        data = bytes(Blob.objects.values_list("data", flat=True).get(pk=sha256))
        if hashlib.sha256(data).hexdigest() != sha256:
            raise DamagedBlob(f"blob {sha256} holds other bytes than its name says")
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix="new-")
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())  # renamed before it is whole, it would be believed for ever
        Path(name).chmod(0o444)
        Path(name).replace(path)
        self._added += len(data)
        if self._added >= min(_MEASURE_EVERY_BYTES, self.bound_bytes // 4):
            self._added = 0
            self.shrink()

    def shrink(self, now_s: float | None = None) -> None:
        """Removes the longest unused files until the bound holds."""
        now_s = time.time() if now_s is None else now_s
        files = []
        for path in self.folder.glob("??/*"):
            with contextlib.suppress(FileNotFoundError):
                state = path.stat()
                files.append((state.st_mtime, state.st_size, path))
        total = sum(size for _used, size, _path in files)
        for used, size, path in sorted(files):
            if total <= self.bound_bytes or used > now_s - _KEEP_S:
                return
            path.unlink(missing_ok=True)
            total -= size
