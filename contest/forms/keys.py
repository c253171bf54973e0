"""Keys by which a form that was sent twice does its work once."""

from __future__ import annotations

import hashlib
import json


def once_key(form_key: str, *content: object) -> str | None:
    """A key for this content of this form: 64 hex digits, or None without a `form_key`.

    A double click and a repeated request have both in common. A page that comes back by the back
    button keeps its form's key, so the key alone would swallow what is typed into it then.
    """
    if not form_key:
        return None
    return hashlib.sha256(json.dumps([form_key, *map(str, content)]).encode()).hexdigest()
