"""What pages need from the delivery layer, which this package must not import.

The delivery layer fills these in when it starts (dependency inversion): a page asks for the cursors
of its streams before it reads its data, so nothing can fall between rendering and subscribing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from contest.access import Rights

Cursors = dict[str, dict[str, Any]]
"""Short topic name → {"epoch": str, "seq": int}, as in the frames."""

CursorReader = Callable[[str, Rights, int | None], Cursors]
"""(stream name, rights of the viewer, record id for the record stream) → cursors."""

_cursor_reader: CursorReader | None = None


def provide_cursors(reader: CursorReader) -> None:
    global _cursor_reader
    _cursor_reader = reader


def read_cursors(stream: str, rights: Rights, record_id: int | None = None) -> Cursors:
    """Heads of the topics that `stream` reads for this viewer. Call it before reading the page's data."""
    if _cursor_reader is None:
        raise RuntimeError("no delivery layer is installed: realtime must be in INSTALLED_APPS")
    return _cursor_reader(stream, rights, record_id)
