"""Small packages to change for a test: files by path, with or without a line here and there."""

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pytest

from contest.packages.errors import PackageError
from contest.packages.model import ProblemPackage
from contest.packages.reading import open_package
from contest.packages.tests.archives import zipped

Files = dict[str, bytes]

LEGACY: Mapping[str, bytes] = {
    "problem.yaml": b"name: Sums\nauthor: Alice and Bob\nlicense: cc0\n",
    ".timelimit": b"1.5\n",
    "problem_statement/problem.en.tex": b"\\problemname{Sums}\nAdd $a$ and $b$.\n",
    "data/sample/1.in": b"1 2\n",
    "data/sample/1.ans": b"3\n",
    "data/secret/1.in": b"20 22\n",
    "data/secret/1.ans": b"42\n",
    "submissions/accepted/sums.py": b"print(sum(map(int, input().split())))\n",
}
MODERN: Mapping[str, bytes] = {
    "problem.yaml": b"problem_format_version: 2023-07\nname: Sums\nuuid: 1\nlicense: cc0\n"
    b"limits: {time_limit: 2.5, memory: 256}\n",
    "statement/problem.en.md": b"Add $a$ and $b$.\n",
    "data/sample/1.in": b"1 2\n",
    "data/sample/1.ans": b"3\n",
    "data/secret/1.in": b"20 22\n",
    "data/secret/1.ans": b"42\n",
    "submissions/accepted/sums.cpp": b"int main() {}\n",
}


def changed(files: Mapping[str, bytes], *without: str, **more: bytes) -> Files:
    """A copy without some paths. More files go in by `|`."""
    return {path: contents for path, contents in files.items() if path not in without} | more


def packed(files: Mapping[str, bytes]) -> io.BytesIO:
    """The package in a folder in a zip, as people pack it."""
    return zipped({f"sums/{path}": contents for path, contents in files.items()})


@contextmanager
def opened(files: Mapping[str, bytes]) -> Iterator[ProblemPackage]:
    """The package, open."""
    with open_package(packed(files)) as package:
        yield package


def read(files: Mapping[str, bytes]) -> ProblemPackage:
    """The package, whose test data can no longer be read."""
    with opened(files) as package:
        return package


def refusal(files: Mapping[str, bytes]) -> str:
    """Asserts that the package is refused, and gives the one sentence that says why."""
    with pytest.raises(PackageError) as caught:
        read(files)
    sentence = str(caught.value)
    assert sentence.rstrip()[-1] in ".?!"
    assert "\n" not in sentence
    return sentence
