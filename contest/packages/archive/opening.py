"""Opening a package: which kind of archive it is, and where in it the package begins."""

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from contest.packages.archive.caps import DEFAULT_CAPS, MIB, Caps
from contest.packages.archive.folder_reader import folder_members
from contest.packages.archive.planting import plant
from contest.packages.archive.spool import Spool
from contest.packages.archive.tar_reader import gzip_tar_members, tar_members
from contest.packages.archive.tree import Tree
from contest.packages.archive.zip_reader import zip_members
from contest.packages.errors import PackageError

_CLUTTER = frozenset({"__MACOSX", ".DS_Store"})


@contextmanager
def open_tree(source: Path | IO[bytes], caps: Caps = DEFAULT_CAPS) -> Iterator[Tree]:
    """The files of a package: a folder, or an archive by path or as a seekable binary file.

    Contents can be read until the block ends; the temporary folder goes with it, whatever happens.
    """
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="package-")))
        if isinstance(source, Path) and source.is_dir():
            tree = plant(folder_members(source), Spool(place, caps, None))
        else:
            file = stack.enter_context(source.open("rb")) if isinstance(source, Path) else source
            tree = _plant_archive(file, place, caps)
        yield _at_its_root(tree)


def _plant_archive(file: IO[bytes], place: Path, caps: Caps) -> Tree:
    archive_bytes = file.seek(0, 2)
    if archive_bytes > caps.archive_bytes:
        raise PackageError(f"The archive is larger than {caps.archive_bytes // MIB} MiB; make it smaller.")
    file.seek(0)
    head = file.read(512)
    file.seek(0)
    spool = Spool(place, caps, archive_bytes)
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        with zip_members(file, caps) as members:
            return plant(members, spool)
    if head.startswith(b"\x1f\x8b"):
        with gzip_tar_members(file, caps, archive_bytes) as members:
            return plant(members, spool)
    if head[257:262] == b"ustar":
        with tar_members(file, caps) as members:
            return plant(members, spool)
    raise PackageError("The file is neither a zip nor a tar.gz; pack the folder of the problem as one.")


def _at_its_root(tree: Tree) -> Tree:
    """Packers put the package itself into the archive, or the folder that it lies in."""
    top = tree.folder("")
    folders = [name for name in top.folders if name not in _CLUTTER]
    files = [name for name in top.files if name not in _CLUTTER]
    if not files and len(folders) == 1:
        return tree.at(folders[0])
    return tree
