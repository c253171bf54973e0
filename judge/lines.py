"""Programs of self-tests pass on each line as they write it, as they would in a terminal.

Into a pipe most run-time libraries write whole blocks: somebody who prints and waits would see nothing until
the end. Java, JavaScript, Go and Rust write each line by themselves. The others are asked to, without a word
in their source:

* C and C++: the library of coreutils' `stdbuf`, loaded before theirs, makes stdout line buffered. A program that
  unties C++ streams from C (`sync_with_stdio(false)`) has a buffer of its own, in a terminal too.
* Python writes at once instead of in blocks.
* Pascal flushes after each statement that writes, where its output is a terminal: a unit of a few lines, used
  before the program's own, says that it is.

A line costs a system call then, so a program that prints very much takes longer than when it is judged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from judge.languages import Language

_STDBUF = ("libexec/coreutils/libstdbuf.so", "lib/coreutils/libstdbuf.so", "lib/*/coreutils/libstdbuf.so")
_UNIT = b"""unit eachline;
interface
implementation
uses dos;
initialization
  TextRec(Output).FlushFunc := TextRec(Output).InOutFunc;
end.
"""


@cache
def _stdbuf() -> str | None:
    """The library's place, below /usr as the jail shows it; None where coreutils brings none: blocks, then."""
    found = [path for pattern in _STDBUF for path in Path("/usr").glob(pattern)]
    return str(found[0]) if found else None


def line_by_line(language: Language, sources: Mapping[str, bytes]) -> tuple[Language, dict[str, bytes]]:
    """`language` and `sources` so that the program writes each line at once."""
    if language.id in ("c", "cpp") and (library := _stdbuf()):
        return _with_environment(language, ("LD_PRELOAD", library), ("_STDBUF_O", "L")), dict(sources)
    if language.id == "python":
        return _with_environment(language, ("PYTHONUNBUFFERED", "1")), dict(sources)
    if language.id == "pascal":
        return replace(language, compile=(*language.compile, "-Faeachline")), {**sources, "eachline.pas": _UNIT}
    return language, dict(sources)


def _with_environment(language: Language, *added: tuple[str, str]) -> Language:
    return replace(language, run_environment=(*language.run_environment, *added))
