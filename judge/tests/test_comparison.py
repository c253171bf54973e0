"""The default comparison says what problem packages expect of it."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge import comparison
from judge.comparison import Flags, UnknownFlag, compare, parse_flags

pytestmark = pytest.mark.embedded  # no database is involved

CASES = Path(__file__).parent / "data" / "comparison"


def same(answer: bytes, output: bytes, flags: str = "") -> bool:
    return compare(io.BytesIO(answer), io.BytesIO(output), parse_flags(flags)) is None


@pytest.mark.parametrize("name", sorted(path.name for path in CASES.iterdir() if path.is_dir()))
def test_public_cases(name: str) -> None:
    folder = CASES / name
    args = folder / "args.txt"
    flags = args.read_text() if args.exists() else ""
    expected = (folder / "expected_exit_code.txt").read_text().strip()
    right = same((folder / "judge.ans").read_bytes(), (folder / "user.out").read_bytes(), flags)
    assert (42 if right else 43) == int(expected)


@pytest.mark.parametrize(
    ("answer", "output", "flags", "right"),
    [
        (b"a b\n", b"a b", "", True),
        (b"a b\n", b"a\r\nb\r\n", "", True),
        (b"a b\n", b"a  b\n", "space_change_sensitive", False),
        (b"a b\n", b"a b\r\n", "space_change_sensitive", True),
        (b"a b\n", b"a b", "space_change_sensitive", True),
        (b"a b\n", b"a b\n\n", "space_change_sensitive", False),
        (b"Yes\n", b"YES\n", "", True),
        (b"Yes\n", b"YES\n", "case_sensitive", False),
        (b"1.0\n", b"1\n", "", False),
        (b"1.0\n", b"1\n", "float_tolerance 0", True),
        (b"1000\n", b"1001\n", "float_relative_tolerance 1e-3", True),
        (b"1000\n", b"1001.1\n", "float_relative_tolerance 1e-3", False),
        (b"0\n", b"1e-9\n", "float_relative_tolerance 1e-3", False),
        (b"0\n", b"1e-9\n", "float_absolute_tolerance 1e-6", True),
        (b"1.5\n", b"0x1.8p0\n", "float_tolerance 1", False),
        (b"1.5\n", b"1_5e-1\n", "float_tolerance 1", False),
        (b"1e999\n", b"2e999\n", "float_tolerance 1", False),
        (b"nan\n", b"nan\n", "float_tolerance 1", False),
        (b"inf\n", b"inf\n", "float_tolerance 1", False),
        (b"5\n", b"nan\n", "float_tolerance 1", False),
        (b"5\n", b"inf\n", "float_tolerance 1", False),
        (b"5 inf\n", b"5 inf\n", "float_tolerance 1", False),
        (b"inf\n", b"inf\n", "", True),
        (b"", b"\n \n", "", True),
        (b"", b"x", "", False),
        (b"\xff\x00z", b"\xff\x00z\n", "", True),
    ],
)
def test_flags(answer: bytes, output: bytes, flags: str, right: bool) -> None:
    assert same(answer, output, flags) is right


@given(st.lists(st.binary(min_size=1, max_size=9)), st.integers(min_value=1, max_value=7))
def test_the_size_of_chunks_changes_nothing(words: list[bytes], size: int) -> None:
    text = b" ".join(words)
    old, comparison._CHUNK = comparison._CHUNK, size
    try:
        assert same(text, b"\n".join(words))
        assert same(text, text + b" more") is False
    finally:
        comparison._CHUNK = old


@given(st.lists(st.sampled_from([b"a", b" ", b"\r", b"\n", b"\t"])), st.integers(min_value=1, max_value=5))
def test_the_size_of_chunks_changes_no_white_space(pieces: list[bytes], size: int) -> None:
    text = b"".join(pieces)
    whole = b"".join(piece for part in comparison._pieces(io.BytesIO(text)) for piece in part)
    assert whole == (plain := text.replace(b"\r\n", b"\n")) or whole == plain + b"\n"
    old, comparison._CHUNK = comparison._CHUNK, size
    try:
        assert same(text, text, "space_change_sensitive")
        assert b"".join(piece for part in comparison._pieces(io.BytesIO(text)) for piece in part) == whole
    finally:
        comparison._CHUNK = old


def test_the_first_difference_is_named_for_staff() -> None:
    difference = compare(io.BytesIO(b"1 2 3"), io.BytesIO(b"1 2 \xffx\x00"), Flags())
    assert str(difference) == "token 3: expected “3”, found “\N{REPLACEMENT CHARACTER}x\N{REPLACEMENT CHARACTER}”"
    difference = compare(io.BytesIO(b"1 2 3"), io.BytesIO(b"1 2"), Flags())
    assert str(difference) == "token 3: expected “3”, found the end"


@pytest.mark.parametrize("flags", ["fuzzy", "float_tolerance", "float_tolerance x", "float_tolerance -1"])
def test_an_unknown_flag_is_refused(flags: str) -> None:
    with pytest.raises(UnknownFlag):
        parse_flags(flags)
