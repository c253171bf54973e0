"""Collects the report of an import while the package is read."""

from __future__ import annotations

from dataclasses import dataclass, field

from contest.packages.model import Report

# A hostile package could otherwise make the report longer than itself.
MOST_SENTENCES = 100


@dataclass(slots=True)
class Notes:
    """Sentences in the order in which things were met; each is said once."""

    _found: list[str] = field(default_factory=list)
    _ignored: list[str] = field(default_factory=list)
    _warnings: list[str] = field(default_factory=list)

    def found(self, sentence: str) -> None:
        """Something that is used."""
        _add(self._found, sentence)

    def ignored(self, sentence: str) -> None:
        """Something that changes nothing here."""
        _add(self._ignored, sentence)

    def warn(self, sentence: str) -> None:
        """Something that a person should look at before the problem is opened."""
        _add(self._warnings, sentence)

    def report(self) -> Report:
        """What was collected so far."""
        return Report(tuple(self._found), tuple(self._ignored), tuple(self._warnings))


def _add(sentences: list[str], sentence: str) -> None:
    if sentence not in sentences and len(sentences) < MOST_SENTENCES:
        sentences.append(sentence)
