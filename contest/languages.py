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
    Language("cpp", "C++", (".cpp", ".cc", ".cxx", ".c++", ".C")),
    Language("python", "Python 3", (".py", ".py3"), 3.0),
    Language("java", "Java", (".java",), 2.0),
    Language("javascript", "JavaScript", (".js", ".mjs", ".cjs"), 2.0),
    Language("go", "Go", (".go",)),
    Language("rust", "Rust", (".rs",)),
    Language("pascal", "Pascal", (".pas", ".pp")),
)
"""Every language that the site knows; which of them are offered, `contest.ports.offered_languages` says.
How each is compiled and run is the judge's matter (`judge.languages`)."""

BY_ID = {language.id: language for language in CONTRACT}


def guess_language(file_name: str, offered: Sequence[Language]) -> Language | None:
    """The offered language whose files are named like `file_name`."""
    name = file_name.lower()
    return next((language for language in offered if name.endswith(language.extensions)), None)
