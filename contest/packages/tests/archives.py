"""Archives for tests: honest ones, and those that Mallory would send."""

import gzip
import hashlib
import io
import stat
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO

import pytest

from contest.packages.archive.caps import Caps
from contest.packages.archive.opening import open_tree
from contest.packages.errors import PackageError

# Small enough that a test can exceed each of them in a moment.
SMALL = Caps(
    archive_bytes=200_000,
    total_bytes=400_000,
    file_bytes=300_000,
    files=40,
    ratio=20,
    ratio_free_bytes=50_000,
    directory_bytes_per_file=400,
    header_bytes=20_000,
)

# Not compressible, and the same every time.
NOISE = b"".join(hashlib.sha256(b"%d" % number).digest() for number in range(3750))


def zipped(files: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> io.BytesIO:
    """A zip of these files."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive:
        for name, contents in files.items():
            archive.writestr(_info(name, stat.S_IFREG | 0o644, method), contents)
    return target


def add_to_zip(target: io.BytesIO, name: str, contents: bytes, mode: int) -> io.BytesIO:
    """Adds a member with a Unix mode: a link, a device, or the same name again."""
    with zipfile.ZipFile(target, "a") as archive:
        archive.writestr(_info(name, mode, zipfile.ZIP_STORED), contents)
    return target


def _info(name: str, mode: int, method: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo("placeholder")
    info.filename = info.orig_filename = name
    info.create_system = 3
    info.external_attr = mode << 16
    info.compress_type = method
    return info


def tarred(files: Mapping[str, bytes], *more: tarfile.TarInfo, compress: bool = True) -> io.BytesIO:
    """A tar.gz (or plain tar) of these files and of members without contents."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, contents in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(contents)
            archive.addfile(info, io.BytesIO(contents))
        for info in more:
            archive.addfile(info)
    return io.BytesIO(gzip.compress(plain.getvalue())) if compress else plain


def tar_member(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    """A link or a device for `tarred`."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def refused(source: Path | IO[bytes], caps: Caps = SMALL) -> str:
    """Asserts that the archive is refused and gives the sentence."""
    with pytest.raises(PackageError) as caught, open_tree(source, caps):
        pass
    return str(caught.value)
