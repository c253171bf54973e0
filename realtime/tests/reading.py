"""The log as one of its readers sees it: by the query that the site uses, and by its rule of who needs a snapshot."""

from __future__ import annotations

from realtime.log.reading import Entry, Want, read_heads, read_pages
from realtime.wire.protocol import Cursor


def is_served(key: str, cursor: Cursor) -> bool:
    """Whether a reader at `cursor` can go on; else it needs a snapshot."""
    return read_heads([key])[key].serves(cursor)


def entries_after(key: str, cursor: Cursor, limit: int = 100) -> list[Entry]:
    """At most `limit` events after `cursor`, in order."""
    (page,) = read_pages([Want(key, cursor.seq, cursor.seq + limit)])
    assert page.head.serves(cursor)
    return page.entries
