"""The default comparison of an output with the judge's answer. Pure; bytes in, bytes compared.

Meaning of the flags: "Default output validator" of the problem package format. Tokens are separated by
white space; letters are compared without case unless `case_sensitive`; with `space_change_sensitive` the
white space has to be the same, apart from CRLF for LF and a missing last newline. With a float tolerance,
a token of the answer that is a decimal number is compared as a number; `nan` and `inf` match nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

_CHUNK = 1 << 20
# One way only to read any prefix: with `\d+\.?\d*` a mebibyte of digits and an x took hours to be no number.
_NUMBER = re.compile(rb"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_NOT_FINITE = re.compile(rb"[+-]?(?:nan(?:\([^)]*\))?|inf(?:inity)?)", re.IGNORECASE)
_PIECES = re.compile(rb"\s+|\S+")
_PREVIEW_BYTES = 60

_Side = Sequence[bytes | None]


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class UnknownFlag(ValueError):
    """A package asks for a comparison that does not exist."""


@dataclass(frozen=True, slots=True)
class Flags:
    """How to compare. Tolerances are None where none was given."""

    case_sensitive: bool = False
    space_change_sensitive: bool = False
    relative: float | None = None
    absolute: float | None = None

    @property
    def compares_numbers(self) -> bool:
        return self.relative is not None or self.absolute is not None


@dataclass(frozen=True, slots=True)
class Difference:
    """Where the output first differs. The texts are for staff: one of them is the secret answer."""

    token: int  # counted from 1
    expected: str
    found: str

    def __str__(self) -> str:
        return f"token {self.token}: expected {self.expected}, found {self.found}"


def _tolerance(word: str, words: Iterator[str]) -> float:
    text = next(words, "")
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or value < 0:
        raise UnknownFlag(f"{word} needs a number that is not negative")
    return value


def parse_flags(text: str) -> Flags:
    """Reads the flags as packages write them. Raises UnknownFlag with a sentence."""
    words = iter(text.split())
    case = space = False
    relative: float | None = None
    absolute: float | None = None
    for word in words:
        if word == "case_sensitive":
            case = True
        elif word == "space_change_sensitive":
            space = True
        elif word == "float_tolerance":
            relative = absolute = _tolerance(word, words)
        elif word == "float_relative_tolerance":
            relative = _tolerance(word, words)
        elif word == "float_absolute_tolerance":
            absolute = _tolerance(word, words)
        else:
            raise UnknownFlag(f"the comparison has no flag {word!r}")
    return Flags(case, space, relative, absolute)


def _blocks(source: Readable) -> Iterator[list[bytes]]:
    """Lists of whole tokens, a chunk of input at a time."""
    rest = b""
    while chunk := source.read(_CHUNK):
        block = rest + chunk
        tokens = block.split()
        # The last token may go on in the next chunk.
        rest = tokens.pop() if tokens and not block[-1:].isspace() else b""
        yield tokens
    if rest:
        yield [rest]


def _with_plain_line_ends(source: Readable) -> Iterator[bytes]:
    """What `source` holds, a chunk at a time, with CRLF as LF."""
    held = b""  # a CR at the end, whose LF may come with the next chunk
    while chunk := source.read(_CHUNK):
        text = held + chunk
        held = text[-1:] if text.endswith(b"\r") else b""
        yield text[: len(text) - len(held)].replace(b"\r\n", b"\n")
    yield held


def _pieces(source: Readable) -> Iterator[list[bytes]]:
    """Tokens and the white space between them; line ends as LF, exactly one at the end of a last line."""
    rest = b""  # the last piece may go on in the next chunk
    for text in _with_plain_line_ends(source):
        pieces = _PIECES.findall(rest + text)
        rest = pieces.pop() if pieces else b""
        yield pieces
    if rest:
        yield _PIECES.findall(rest if rest.endswith(b"\n") else rest + b"\n")


def _aligned(left: Iterator[list[bytes]], right: Iterator[list[bytes]]) -> Iterator[tuple[_Side, _Side]]:
    """Both sides in steps of equal length, so that equal stretches are compared as a whole. At the end of
    the shorter side comes one step with None on it."""
    here: list[bytes] = []
    there: list[bytes] = []
    while True:
        here = here or next((block for block in left if block), [])
        there = there or next((block for block in right if block), [])
        length = min(len(here), len(there))
        if length == 0:
            if here or there:
                yield (here[:1] or [None]), (there[:1] or [None])
            return
        yield here[:length], there[:length]
        here, there = here[length:], there[length:]


def _close(expected: bytes, found: bytes, flags: Flags) -> bool:
    if not _NUMBER.fullmatch(found):
        return False
    wanted, value = float(expected), float(found)
    if not (math.isfinite(wanted) and math.isfinite(value)):
        return expected == found  # beyond what a double holds, equal digits are the only proof
    distance = abs(wanted - value)
    if flags.absolute is not None and distance <= flags.absolute:
        return True
    return flags.relative is not None and distance <= flags.relative * abs(wanted)


def _same(expected: bytes, found: bytes, flags: Flags) -> bool:
    if flags.compares_numbers:
        if _NOT_FINITE.fullmatch(expected):
            return False
        if _NUMBER.fullmatch(expected):
            return _close(expected, found, flags)
    if flags.case_sensitive:
        return expected == found
    return expected.lower() == found.lower()


def preview(data: bytes | None) -> str:
    """A token for people: cut, decoded with replacement characters, without control characters."""
    if data is None:
        return "the end"
    text = data[:_PREVIEW_BYTES].decode("utf-8", "replace")
    shown = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
    return f"“{shown}…”" if len(data) > _PREVIEW_BYTES else f"“{shown}”"


def _first_difference(wanted: _Side, given: _Side, flags: Flags) -> int | None:
    if wanted == given and not flags.compares_numbers:
        return None
    for place, (expected, found) in enumerate(zip(wanted, given, strict=True)):
        if expected is None or found is None or not _same(expected, found, flags):
            return place
    return None


def compare(answer: Readable, output: Readable, flags: Flags = Flags()) -> Difference | None:
    """None if the output is right, else where it first is not."""
    split = _pieces if flags.space_change_sensitive else _blocks
    before = 0
    for wanted, given in _aligned(split(answer), split(output)):
        place = _first_difference(wanted, given, flags)
        if place is not None:
            return Difference(before + place + 1, preview(wanted[place]), preview(given[place]))
        before += len(wanted)
    return None
