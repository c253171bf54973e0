"""Test data is kept on the judge's disk up to a bound."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from judge.blobs import BlobCache
from judge.tests.work import blob

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def test_the_blob_cache_holds_its_bound_and_keeps_what_was_just_used(tmp_path: Path) -> None:
    cache = BlobCache(tmp_path / "small", bound_bytes=2500)
    rows = [blob(bytes([number]) * 1000) for number in range(4)]
    paths = [cache.path(row.pk) for row in rows]
    assert [path.stat().st_mode & 0o777 for path in paths] == [0o444] * 4
    for age, path in enumerate(paths):
        os.utime(path, (time.time() - 5000 + age,) * 2)
    cache.path(rows[0].pk)
    cache.shrink()
    assert [path.exists() for path in paths] == [True, False, False, True]
    assert cache.read(rows[1].pk) == b"\x01" * 1000
