"""A program's bytes become text in bounded pieces, whole code points, nothing that a column cannot hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.chunks import Chunker

pytestmark = pytest.mark.embedded  # no database is involved


def test_a_code_point_in_two_parts_comes_out_whole() -> None:
    chunker = Chunker(16, 1000)
    chunker.feed("stdout", "ä".encode()[:1])
    assert chunker.take() == []
    chunker.feed("stdout", "ä".encode()[1:] + b"b")
    assert chunker.take() == [("stdout", 0, "äb")]


def test_offsets_count_bytes_of_each_stream() -> None:
    chunker = Chunker(16, 1000)
    chunker.feed("stdout", "ää".encode())
    chunker.feed("stderr", b"x")
    chunker.feed("stdout", b"z")
    assert chunker.take() == [("stdout", 0, "ää"), ("stderr", 0, "x"), ("stdout", 4, "z")]


def test_broken_bytes_and_nul_are_shown_as_replacement_characters() -> None:
    chunker = Chunker(100, 1000)
    chunker.feed("stdout", b"a\xff\x00")
    chunker.feed("stderr", b"\xe2\x82")
    chunker.finish()
    assert chunker.take() == [("stdout", 0, "a\ufffd\ufffd"), ("stderr", 0, "\ufffd")]


def test_what_is_beyond_the_budget_is_cut_and_said() -> None:
    chunker = Chunker(4, 7)
    chunker.feed("stdout", b"1234")
    chunker.feed("stderr", "ää".encode())
    chunker.feed("stdout", b"5")
    assert chunker.take() == [("stdout", 0, "1234"), ("stderr", 0, "ä")]
    assert chunker.cut == ["stderr", "stdout"]


@given(st.lists(st.tuples(st.sampled_from(["stdout", "stderr"]), st.binary(max_size=40))), st.integers(4, 20))
def test_chunks_put_together_are_the_output(parts: list[tuple[str, bytes]], size: int) -> None:
    chunker = Chunker(size, 1_000_000)
    texts = {"stdout": "", "stderr": ""}
    for name, data in parts:
        chunker.feed(name, data)
        _join(chunker, texts, size)
    chunker.finish()
    _join(chunker, texts, size)
    for name in texts:
        whole = b"".join(data for stream, data in parts if stream == name)
        assert texts[name] == whole.decode("utf-8", "replace").replace("\x00", "\ufffd")


def _join(chunker: Chunker, texts: dict[str, str], size: int) -> None:
    for name, offset, text in chunker.take():
        assert len(texts[name].encode()) == offset
        assert 0 < len(text.encode()) <= size
        texts[name] += text
