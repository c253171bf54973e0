"""Which file a Java source must be called and which class it starts. Pure."""

from __future__ import annotations

import re

# A stranger's source is read with these: none of them may look at the same bytes again and again. So what is
# never closed goes on to its end (javac refuses it anyway), and white space is skipped within a line only.
_COMMENTS_AND_TEXT = re.compile(rb"""//[^\n]*|/\*.*?(?:\*/|\Z)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?""", re.DOTALL)
_PACKAGE = re.compile(rb"^[ \t\f\r]*package\s+([\w.$\x80-\xff]+)\s*;", re.MULTILINE)
_PUBLIC_TYPE = re.compile(
    rb"\bpublic\s+(?:(?:final|abstract|strictfp|sealed)\s+)*(?:class|interface|enum|record)\s+([\w$\x80-\xff]+)"
)
_TYPE = re.compile(rb"\b(?:class|interface|enum|record)\s+([\w$\x80-\xff]+)")
_MAIN = re.compile(rb"\bstatic\s+(?:public\s+|final\s+)*void\s+main\s*\(|\bpublic\s+static\s+void\s+main\s*\(")

# In bytes. Longer names would be no file names; javac then says that the file is called differently.
_NAME_LIMIT_BYTES = 200


def _bare(source: bytes) -> bytes:
    return _COMMENTS_AND_TEXT.sub(b" ", source)


def _name(found: re.Match[bytes] | None) -> str | None:
    return found[1].decode("utf-8", "replace") if found else None


def java_file_name(source: bytes, default: str = "Main.java") -> str:
    """javac wants a public class in a file of its name."""
    public = _name(_PUBLIC_TYPE.search(_bare(source)))
    return f"{public}.java" if public and len(public.encode()) <= _NAME_LIMIT_BYTES else default


def java_entry(source: bytes) -> str | None:
    """The qualified name of the class with `main`, or None if this source has none."""
    bare = _bare(source)
    main = _MAIN.search(bare)
    if main is None:
        return None
    before = [found for found in _TYPE.finditer(bare) if found.start() < main.start()]
    public = _PUBLIC_TYPE.search(bare)
    if public is not None and public.start() < main.start():
        chosen = _name(public)
    else:
        chosen = _name(before[-1]) if before else None
    package = _name(_PACKAGE.search(bare))
    return f"{package}.{chosen}" if package and chosen else chosen
