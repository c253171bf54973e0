"""The demo contest's problems: complete packages, read by the same import as everybody's."""

from __future__ import annotations

from pathlib import Path

PROBLEMS = Path(__file__).parent / "problems"
LABELS = ("A", "B", "C", "D", "E")
"""Each the name of a folder in PROBLEMS and of the problem in the demo contest."""

COLORS = {"A": "#2f6fde", "B": "#d9a400", "C": "#1d8f6e", "D": "#c43d3d", "E": "#7a4fc2"}
"""Of the balloons."""
