"""Where the judge keeps things."""

from __future__ import annotations

from pathlib import Path

HELPER_CACHE = Path(__file__).resolve().parent.parent / "build" / "judge"
"""The compiled helper of the jail; made at set-up, remade when its sources change."""
