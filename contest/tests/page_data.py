"""What the server puts into a page for its scripts, as they find it."""

from __future__ import annotations

import json
import re
from typing import Any


def page_data(html: str) -> dict[str, Any]:
    found = re.search(r'<script id="fathom-page" type="application/json">(.*?)</script>', html, re.DOTALL)
    assert found, "the page carries no data for its scripts"
    data: dict[str, Any] = json.loads(found[1])
    return data
