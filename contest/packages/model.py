"""What a problem package says, in the words of this site, whatever format it came in. Frozen, no behaviour."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from contest.packages.archive.spool import Stored


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of a program: its name without folders, and its contents."""

    name: str
    contents: bytes


@dataclass(frozen=True, slots=True)
class Program:
    """Source of a validator or a sample submission; `language` is one of the site's language ids."""

    language: str
    files: tuple[SourceFile, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """The statement in one natural language: Markdown with TeX mathematics, or else a PDF."""

    language: str
    title: str
    markdown: str | None = None
    pdf: Stored | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """What a submission may use. None: the package says nothing, so the site's default holds."""

    time_ms: int
    memory_mib: int | None = None
    output_mib: int | None = None
    code_kib: int | None = None
    compilation_s: int | None = None
    compilation_mib: int | None = None
    validation_s: int | None = None
    validation_mib: int | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """How outputs are compared: by the default comparison with `flags`, or by `validator` with them."""

    flags: tuple[str, ...] = ()
    validator: Program | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """One test case. `flags` come after the comparison's own; `score` counts where its group sums."""

    name: str
    group: str
    is_sample: bool
    input: Stored
    answer: Stored
    flags: tuple[str, ...] = ()
    score: float = 0.0


class GroupMode(enum.Enum):
    """How a group's score follows from its cases."""

    MIN = "min"
    SUM = "sum"


@dataclass(frozen=True, slots=True)
class Group:
    """Cases that are scored together, worth `score` at most.

    MIN: all of it if every case is accepted, else nothing. SUM: the scores of the accepted cases. Nothing
    if any group in `depends` has a case that is not accepted.
    """

    name: str
    score: float
    mode: GroupMode
    depends: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Submission:
    """A sample submission and the verdicts any of which would be as its author expected."""

    path: str
    program: Program
    verdicts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Credits:
    """Who made the problem and what may be done with it; empty where the package is silent."""

    authors: tuple[str, ...] = ()
    source: str = ""
    source_url: str = ""
    license: str = "unknown"
    rights_owner: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """What the reader of a package is told, each a sentence: what is used, what is not, what to look at."""

    found: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProblemPackage:
    """A whole problem. `groups` is empty where all cases must pass; stored contents are read while open."""

    source_format: str
    sha256: str
    name: str
    statements: tuple[Statement, ...]
    images: Mapping[str, Stored]
    limits: Limits
    comparison: Comparison
    cases: tuple[Case, ...]
    groups: tuple[Group, ...]
    submissions: tuple[Submission, ...]
    attachments: Mapping[str, Stored] = field(default_factory=dict)
    languages: tuple[str, ...] | None = None
    interactive: bool = False
    credits: Credits = field(default_factory=Credits)
    uuid: str = ""
    report: Report = field(default_factory=Report)
