"""A bomb costs no more than its cap."""

import gzip
import io
import struct
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from contest.packages.archive.opening import open_tree
from contest.packages.archive.spool import Spool
from contest.packages.tests.archives import NOISE, SMALL, refused, tarred, zipped


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many bytes went to disk, chunk by chunk."""
    chunks: list[int] = []
    count = Spool._count

    def counted(self: Spool, name: str, file_bytes: int, chunk_bytes: int) -> None:
        chunks.append(chunk_bytes)
        count(self, name, file_bytes, chunk_bytes)

    monkeypatch.setattr(Spool, "_count", counted)
    return chunks


def test_a_zip_bomb_is_refused_long_before_it_is_unpacked(written: list[int]) -> None:
    archive = zipped({"problem.yaml": b"", "bomb": bytes(50_000_000)})
    assert zipfile.ZipFile(archive).getinfo("bomb").file_size == 50_000_000
    assert archive.seek(0, 2) < SMALL.archive_bytes
    assert "make it smaller" in refused(archive)
    assert sum(written) < 500_000


def test_a_zip_bomb_whose_directory_lies_about_its_size_is_refused(written: list[int]) -> None:
    archive = zipped({"problem.yaml": b"", "bomb": bytes(50_000_000)})
    lying = archive.getvalue().replace(struct.pack("<I", 50_000_000), struct.pack("<I", 10))
    assert zipfile.ZipFile(io.BytesIO(lying)).getinfo("bomb").file_size == 10
    assert refused(io.BytesIO(lying))
    assert sum(written) < 500_000


def test_many_dense_files_exceed_the_ratio_together() -> None:
    files = {f"zeros{n}": bytes(30_000) for n in range(10)}
    archive = zipped(files)
    assert all(len(contents) < SMALL.ratio_free_bytes for contents in files.values())
    assert "times its size" in refused(archive)


def test_small_dense_test_data_is_no_bomb() -> None:
    archive = zipped({"problem.yaml": b"", "data/secret/1.in": b"1 " * 20_000})
    assert SMALL.ratio * archive.seek(0, 2) < 40_000
    with open_tree(archive, SMALL) as tree:
        assert tree.files["data/secret/1.in"].size == 40_000


def test_a_gzip_bomb_around_a_tar_is_refused_while_it_unpacks() -> None:
    archive = io.BytesIO(gzip.compress(bytes(100_000_000)))
    assert "bomb" in refused(archive)


def test_one_file_or_all_together_beyond_the_cap_are_refused() -> None:
    roomy = replace(SMALL, archive_bytes=10_000_000)
    assert "larger than" in refused(zipped({"one": NOISE * 3}, zipfile.ZIP_STORED), roomy)
    many = {f"file{n}": NOISE for n in range(4)}
    assert "unpacks to more than" in refused(zipped(many, zipfile.ZIP_STORED), roomy)


def test_an_archive_that_is_itself_too_large_is_not_opened() -> None:
    assert "archive is larger" in refused(io.BytesIO(NOISE * 2))


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_too_many_names_are_refused(pack) -> None:  # type: ignore[no-untyped-def]
    assert "more than 40 names" in refused(pack({f"f{n}": b"" for n in range(SMALL.files + 1)}))


def test_a_zip_directory_beyond_reason_is_refused_before_it_is_read() -> None:
    caps = replace(SMALL, archive_bytes=10_000_000)
    archive = zipped({f"{'n' * 200}{n}": b"" for n in range(1000)}, zipfile.ZIP_STORED)
    assert "more than 40 names" in refused(archive, caps)


def test_a_tar_header_that_claims_to_be_long_is_refused_before_it_is_read() -> None:
    archive = tarred({"n" * 80_000: b""}, compress=False)
    assert "header" in refused(archive)


def test_a_tar_with_a_negative_size_does_not_go_round_for_ever() -> None:
    raw = bytearray(tarred({"problem.yaml": b"", "data": b"x" * 600}, compress=False).getvalue())
    header = tarfile.TarInfo.frombuf(bytes(raw[512:1024]), "utf-8", "strict")
    assert header.name == "data"
    raw[512 + 124 : 512 + 136] = b"\xff" * 10 + b"\xfc\x00"
    checksum = sum(raw[512:660]) + 8 * 32 + sum(raw[668:1024])
    raw[660:668] = b"%06o\0 " % checksum
    assert tarfile.TarInfo.frombuf(bytes(raw[512:1024]), "utf-8", "strict").size == -1024
    assert refused(io.BytesIO(bytes(raw)))


@pytest.mark.parametrize("keep", [10, 200, 600])
@pytest.mark.parametrize("pack", [zipped, tarred])
def test_an_archive_that_was_cut_off_is_refused(pack, keep: int) -> None:  # type: ignore[no-untyped-def]
    whole = pack({"problem.yaml": b"name: Sums", "data/1.in": NOISE[:5000]}).getvalue()
    assert refused(io.BytesIO(whole[:keep]))


def test_a_changed_byte_in_a_zip_is_noticed() -> None:
    raw = bytearray(zipped({"problem.yaml": b"name: Sums of two"}, zipfile.ZIP_STORED).getvalue())
    raw[raw.index(b"Sums")] ^= 1
    assert "damaged" in refused(io.BytesIO(bytes(raw)))


def test_an_encrypted_zip_and_a_strange_method_are_refused() -> None:
    raw = bytearray(zipped({"problem.yaml": b"x"}).getvalue())
    raw[raw.index(b"PK\x01\x02") + 8] |= 1
    assert "encrypted" in refused(io.BytesIO(bytes(raw)))
    assert "deflate" in refused(zipped({"problem.yaml": b"x"}, zipfile.ZIP_LZMA))


def test_something_else_is_named_as_such() -> None:
    assert "neither a zip nor a tar.gz" in refused(io.BytesIO(b"%PDF-1.7 hello"))


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with open_tree(zipped({"problem.yaml": b"x"}), SMALL) as tree:
        assert tree.files["problem.yaml"].place.exists()
        assert list(tmp_path.iterdir())
    assert refused(zipped({"../x": b""}))
    assert list(tmp_path.iterdir()) == []
