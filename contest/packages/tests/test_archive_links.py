"""Links between samples are honest; links that lead out, nowhere, in circles or multiply are not."""

import stat
import tarfile
from pathlib import Path

import pytest

from contest.packages.archive.opening import open_tree
from contest.packages.tests.archives import NOISE, SMALL, add_to_zip, refused, tar_member, tarred, zipped

BASE = {"problem.yaml": b"name: Sums", "data/sample/1.in": b"1 2\n"}


def linked(path: str, target: str) -> tarfile.TarInfo:
    return tar_member(path, tarfile.SYMTYPE, target)


def test_a_link_to_a_sample_has_its_contents_in_zip_tar_and_folder(tmp_path: Path) -> None:
    by_zip = add_to_zip(zipped(BASE), "data/secret/1.in", b"../sample/1.in", stat.S_IFLNK | 0o777)
    by_tar = tarred(BASE, linked("data/secret/1.in", "../sample/1.in"))
    folder = tmp_path / "sums"
    for name, contents in BASE.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(contents)
    (folder / "data/secret").mkdir()
    (folder / "data/secret/1.in").symlink_to("../sample/1.in")
    for source in (by_zip, by_tar, folder):
        with open_tree(source, SMALL) as tree:
            assert tree.files["data/secret/1.in"].read() == b"1 2\n"


def test_a_link_to_a_folder_gives_the_folder() -> None:
    archive = tarred(BASE, linked("data/secret", "sample"), linked("more", "data/secret"))
    with open_tree(archive, SMALL) as tree:
        assert list(tree.below("more")) == ["more/1.in"]


def test_a_hard_link_in_a_tar_is_relative_to_its_root() -> None:
    archive = tarred(BASE, tar_member("data/secret/1.in", tarfile.LNKTYPE, "data/sample/1.in"))
    with open_tree(archive, SMALL) as tree:
        assert tree.files["data/secret/1.in"].read() == b"1 2\n"


@pytest.mark.parametrize(
    ("path", "target", "sentence"),
    [
        ("data/secret/1.in", "/etc/passwd", "relative"),
        ("data/secret/1.in", "../../../etc/passwd", "out of the package"),
        ("data/secret/1.in", "missing.in", "leads to nothing"),
        ("data/secret/1.in", "1.in", "circle"),
    ],
)
def test_a_link_out_to_nothing_or_to_itself_is_refused(path: str, target: str, sentence: str) -> None:
    by_zip = add_to_zip(zipped(BASE), path, target.encode(), stat.S_IFLNK | 0o777)
    by_tar = tarred(BASE, linked(path, target))
    for source in (by_zip, by_tar):
        assert sentence in refused(source)


def test_a_file_behind_a_link_is_refused() -> None:
    """The classic way to write elsewhere: a link named `out`, then a file "in" it."""
    archive = zipped(BASE)
    add_to_zip(archive, "out", b"data", stat.S_IFLNK | 0o777)
    add_to_zip(archive, "out/mallory.in", b"x", stat.S_IFREG | 0o644)
    assert "something else at once" in refused(archive)


def test_a_link_to_its_own_folder_ends_at_a_cap() -> None:
    assert "multiply" in refused(tarred(BASE, linked("data/again", "..")))


def test_links_that_double_at_every_level_end_at_a_cap() -> None:
    doubling = [linked(f"d{n}/{side}", f"../d{n + 1}") for n in range(12) for side in ("a", "b")]
    archive = tarred({**BASE, "d12/file": b"x"}, *doubling)
    assert "multiply" in refused(archive)


def test_links_to_one_large_file_count_as_often_as_they_stand() -> None:
    big = {"problem.yaml": b"", "big": NOISE}
    with open_tree(tarred(big), SMALL) as tree:
        assert tree.files["big"].size * 4 > SMALL.total_bytes > tree.files["big"].size
    assert "too large" in refused(tarred(big, *(linked(f"copy{n}", "big") for n in range(4))))


def test_a_pipe_in_a_folder_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    import os

    (tmp_path / "problem.yaml").write_bytes(b"")
    os.mkfifo(tmp_path / "pipe")
    assert "pipe" in refused(tmp_path)


def test_a_link_out_of_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"of the machine")
    (tmp_path / "sums").mkdir()
    (tmp_path / "sums/problem.yaml").symlink_to("../secret")
    assert (tmp_path / "sums/problem.yaml").read_bytes() == b"of the machine"
    assert "out of the package" in refused(tmp_path / "sums")
