"""Storing immutable bytes by their hash, each once however often it is needed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from contest.models import Blob
from contest.packages.archive.caps import MIB
from contest.packages.archive.spool import Stored

_LOOKUP_ROWS = 500
_BATCH_BYTES = 8 * MIB
"""What is held in memory on the way to the database; one larger blob goes alone."""


def store_blobs(contents: Iterable[Stored]) -> None:
    """Makes sure that a blob of each exists. Call it in the transaction of the rows that point to them."""
    wanted = {stored.sha256: stored for stored in contents}
    for sha256 in _existing(list(wanted)):
        del wanted[sha256]
    batch: list[Blob] = []
    for stored in wanted.values():
        if batch and sum(blob.size_bytes for blob in batch) + stored.size > _BATCH_BYTES:
            _insert(batch)
            batch = []
        batch.append(Blob(sha256=stored.sha256, size_bytes=stored.size, data=stored.read()))
    _insert(batch)


def store_bytes(data: bytes) -> str:
    """Stores one small piece and returns its hash."""
    sha256 = hashlib.sha256(data).hexdigest()
    _insert([Blob(sha256=sha256, size_bytes=len(data), data=data)])
    return sha256


def _existing(hashes: list[str]) -> set[str]:
    found: set[str] = set()
    for start in range(0, len(hashes), _LOOKUP_ROWS):
        some = Blob.objects.filter(pk__in=hashes[start : start + _LOOKUP_ROWS])
        found.update(some.values_list("pk", flat=True))
    return found


def _insert(blobs: list[Blob]) -> None:
    # Another import may have stored the same bytes a moment ago: then they are there, which is all we want.
    Blob.objects.bulk_create(blobs, ignore_conflicts=True)
