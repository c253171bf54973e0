"""Names that would lead elsewhere, or mean two things, are refused in every kind of archive."""

import io
import stat
import tarfile
import zipfile

import pytest

from contest.packages.archive.opening import open_tree
from contest.packages.tests.archives import SMALL, add_to_zip, refused, tar_member, tarred, zipped

HOSTILE_NAMES = [
    ("../outside", "leads out of the archive"),
    ("data/../../outside", "leads out of the archive"),
    ("/etc/cron.d/mallory", "absolute name"),
    ("data\\..\\..\\outside", "backslash"),
    ("data/line\nbreak", "unprintable"),
    ("data/escape\x1b[2J", "unprintable"),
    ("d" * 256, "longer than 255 bytes"),
    ("/".join(["deep"] * 300), "longer than 1000 bytes"),
]


@pytest.mark.parametrize(("name", "sentence"), HOSTILE_NAMES)
def test_a_zip_with_a_hostile_name_is_refused(name: str, sentence: str) -> None:
    archive = zipped({"problem.yaml": b"", name: b"x"})
    assert name in zipfile.ZipFile(archive).namelist(), "the premise: the name is in the archive as it is"
    assert sentence in refused(archive)


@pytest.mark.parametrize(("name", "sentence"), HOSTILE_NAMES)
def test_a_tar_with_a_hostile_name_is_refused(name: str, sentence: str) -> None:
    plain = tarred({"problem.yaml": b"", name: b"x"}, compress=False)
    assert name in tarfile.TarFile(fileobj=io.BytesIO(plain.getvalue())).getnames()
    assert sentence in refused(plain)


def test_a_nul_in_a_zip_name_is_refused_although_the_reader_cuts_it_off() -> None:
    archive = zipped({"problem.yaml": b"", "data/harmless": b"x"})
    raw = archive.getvalue().replace(b"data/harmless", b"data/h\0rmless")
    assert zipfile.ZipFile(io.BytesIO(raw)).namelist()[1] == "data/h"
    assert "unprintable" in refused(io.BytesIO(raw))


def test_a_name_that_stands_twice_is_refused() -> None:
    archive = add_to_zip(zipped({"problem.yaml": b"one"}), "./problem.yaml", b"two", stat.S_IFREG | 0o644)
    assert "stands twice" in refused(archive)


@pytest.mark.parametrize("names", [("data", "data/secret"), ("data/secret", "data")])
def test_a_file_that_is_also_a_folder_is_refused(names: tuple[str, str]) -> None:
    assert "data" in refused(zipped(dict.fromkeys(names, b"x")))


@pytest.mark.parametrize("kind", [tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE])
def test_a_device_or_pipe_in_a_tar_is_refused(kind: bytes) -> None:
    archive = tarred({"problem.yaml": b""}, tar_member("data/device", kind))
    assert "device" in refused(archive)


@pytest.mark.parametrize("mode", [stat.S_IFCHR, stat.S_IFBLK, stat.S_IFIFO, stat.S_IFSOCK])
def test_a_device_or_pipe_in_a_zip_is_refused(mode: int) -> None:
    archive = add_to_zip(zipped({"problem.yaml": b""}), "data/device", b"", mode | 0o644)
    assert "device" in refused(archive)


def test_harmless_ways_to_write_a_name_mean_the_same() -> None:
    with open_tree(zipped({"./sums/problem.yaml": b"name: Sums", "sums//data/a.in": b"1"}), SMALL) as tree:
        assert sorted(tree.files) == ["data/a.in", "problem.yaml"]
        assert tree.files["problem.yaml"].read() == b"name: Sums"
