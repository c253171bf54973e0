"""The demo contest's problems: complete packages, read by the same import as everybody's."""

from __future__ import annotations

from pathlib import Path

PROBLEMS = Path(__file__).parent / "problems"
LABELS = ("A", "B", "C", "D", "E")
"""Each the name of a folder in PROBLEMS and of the problem in the demo contest."""
