"""Who sends a request that is no stream's, known before anything of its body is read."""

from __future__ import annotations

from typing import Any

from realtime.entry.sessions import session_key_of
from realtime.node.node import current_node


async def visitor_id(scope: dict[str, Any]) -> int | None:
    """The number of whoever is signed in; None: nobody. Fails as the database does."""
    visitor = await current_node().visitors.submit(session_key_of(scope["headers"]))
    return visitor.user_id if visitor is not None else None
