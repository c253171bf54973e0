"""Programming languages: their ids in forms and commands, their names, their files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Language:
    """`id` as in the contract; `name` for people, with the version where it is known; `extensions` with dot.

    `time_factor` is what a problem's time limit is multiplied with for this language.
    """

    id: str
    name: str
    extensions: tuple[str, ...] = ()
    time_factor: float = 1.0


CONTRACT = (
    Language("c", "C", (".c",)),
    Language("cpp", "C++", (".cpp", ".cc", ".cxx", ".c++")),
    Language("python", "Python 3", (".py",)),
    Language("java", "Java", (".java",)),
    Language("javascript", "JavaScript", (".js", ".mjs")),
    Language("go", "Go", (".go",)),
    Language("rust", "Rust", (".rs",)),
    Language("pascal", "Pascal", (".pas", ".pp")),
)
"""Every language that the site knows; which of them are offered, `contest.ports.offered_languages` says."""


def guess_language(file_name: str, offered: Sequence[Language]) -> Language | None:
    """The offered language whose files are named like `file_name`."""
    name = file_name.lower()
    return next((language for language in offered if name.endswith(language.extensions)), None)
