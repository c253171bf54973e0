"""Named constants of a package (2023-07): `{{name}}` in statements and programs stands for a value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from contest.packages.errors import PackageError
from contest.packages.fields import Fields

_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
_TAG = re.compile(rb"\{\{([a-zA-Z_][a-zA-Z0-9_]{0,100})\}\}")


@dataclass(frozen=True, slots=True)
class Constants:
    """Values by name, as the text that takes the place of the tag."""

    values: Mapping[str, bytes] = field(default_factory=dict)

    @classmethod
    def of(cls, fields: Fields) -> Constants:
        """From the section `constants` of problem.yaml."""
        for name in fields.values:
            if not _NAME.fullmatch(name):
                raise PackageError(f"“{name[:60]}” in {fields.where} is no name of a constant; rename it.")
        return cls({name: fields.text(name).encode() for name in fields.values})

    def put_into(self, contents: bytes, path: str, most_bytes: int) -> bytes:
        """`contents` (of the file `path`) with every known tag replaced; unknown tags stay as they are.

        A tag is five bytes and a value may be thousands: what would become longer than `most_bytes` is refused
        before it is made.
        """
        if not self.values:
            return contents
        growth = sum(len(self._value(tag)) - len(tag[0]) for tag in _TAG.finditer(contents))
        if growth > 0 and len(contents) + growth > most_bytes:
            raise PackageError(f"{path} is longer than {most_bytes // 1024} KiB with its constants; shorten it.")
        return _TAG.sub(self._value, contents)

    def _value(self, tag: re.Match[bytes]) -> bytes:
        return self.values.get(tag[1].decode(), tag[0])
