"""Typed reading of one mapping of a YAML file: every wrong type is a sentence, every unread key is reported."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from contest.packages.errors import PackageError
from contest.packages.notes import Notes


@dataclass(slots=True)
class Fields:
    """The keys of `values`, which stand in the file `where` (and below a key there, for the sentence)."""

    values: Mapping[str, Any]
    where: str
    _read: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, value: Any, where: str) -> Fields:
        """An empty file has no keys; anything but a mapping with plain keys is refused."""
        if value is None:
            return cls({}, where)
        if not isinstance(value, dict) or not all(isinstance(key, str) and is_plain(key) for key in value):
            raise PackageError(f"{where} must be keys with values (“name: …”); correct it.")
        return cls(value, where)

    def get(self, key: str) -> Any:
        """The raw value or None; marks the key as understood."""
        self._read.add(key)
        return self.values.get(key)

    def text(self, key: str, default: str = "") -> str:
        """A text; numbers are taken as they are written, so that `name: 2048` is one."""
        value = self.get(key)
        if value is None:
            return default
        if _is_text(value):
            return str(value).strip()
        raise self._wrong(key, "a text")

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts; a single text is a list of one."""
        value = self.get(key)
        if value is None:
            return ()
        items = value if isinstance(value, list) else [value]
        if not all(_is_text(item) for item in items):
            raise self._wrong(key, "a text or a list of texts")
        return tuple(str(item).strip() for item in items)

    def words(self, key: str) -> tuple[str, ...]:
        """A text of words between spaces, or a list of them."""
        return tuple(word for text in self.texts(key) for word in text.split())

    def number(self, key: str, low: float, high: float) -> float | None:
        """A finite number from `low` to `high`, or None where nothing is said."""
        value = self.get(key)
        if value is None:
            return None
        if isinstance(value, str):
            value = _as_number(value)
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise self._wrong(key, f"a number from {low:g} to {high:g}")
        return float(value) if math.isfinite(value) else None

    def whole(self, key: str, low: int, high: int) -> int | None:
        """As `number`, rounded up to a whole one."""
        value = self.number(key, low, high)
        return None if value is None else math.ceil(value)

    def flag(self, key: str, default: bool = False) -> bool:
        """Yes or no."""
        value = self.get(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self._wrong(key, "true or false")
        return value

    def choice(self, key: str, choices: tuple[str, ...], default: str) -> str:
        """One of `choices`."""
        value = self.text(key, default)
        if value not in choices:
            raise self._wrong(key, "one of " + ", ".join(choices))
        return value

    def section(self, key: str) -> Fields:
        """The mapping below `key`; empty where there is none."""
        return Fields.of(self.get(key), f"{key} in {self.where}")

    def note_unread(self, notes: Notes) -> None:
        """Reports the keys that nobody asked for: a misspelt limit must not go unnoticed."""
        for key in sorted(self.values.keys() - self._read):
            notes.warn(f"The key “{key[:60]}” in {self.where} is not known and was ignored.")

    def _wrong(self, key: str, wanted: str) -> PackageError:
        return PackageError(f"“{key}” in {self.where} must be {wanted}; correct it.")


def is_plain(text: str) -> bool:
    """Whether a text has no control characters but line ends and tabs, and no half of a surrogate pair.

    YAML can spell both, and no database stores them.
    """
    return all(sign in "\n\r\t" or unicodedata.category(sign) not in ("Cc", "Cs") for sign in text)


def _is_text(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool) and is_plain(str(value))


def _as_number(text: str) -> float | None:
    # YAML takes 1e-6 without a point for a text.
    try:
        return float(text)
    except ValueError:
        return None
