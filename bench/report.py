"""What a run has found, as data, as Markdown for people and as JSON for programs. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

Cell = str | int | float | None


@dataclass(frozen=True)
class Check:
    """`is_law`: a run in which it does not hold has failed (losses, wrong sums). Otherwise it is a target for a
    speed, which a busy machine may miss."""

    sentence: str
    holds: bool
    is_law: bool = False


@dataclass(frozen=True)
class Section:
    """One scenario: a table, what was checked, and what a reader must know to read it."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    checks: Sequence[Check] = ()
    notes: Sequence[str] = ()
    load: Sequence[float] = ()
    """Load averages of one minute before and after it: what else ran on the machine shows here."""


@dataclass
class Report:
    machine: dict[str, Cell]
    sections: list[Section] = field(default_factory=list)

    @property
    def has_failed(self) -> bool:
        return any(check.is_law and not check.holds for section in self.sections for check in section.checks)

    def as_json(self) -> str:
        return json.dumps(asdict(self), indent=2) + "\n"

    def as_markdown(self) -> str:
        parts = ["# Bench report", _list(f"{name}: {_text(value)}" for name, value in self.machine.items())]
        for section in self.sections:
            parts += _section(section)
        return "\n\n".join(parts) + "\n"


def _section(section: Section) -> list[str]:
    parts = [f"## {section.title}", _table(section.columns, section.rows)]
    if section.checks:
        parts.append(_list(f"{_word(check)}: {check.sentence}" for check in section.checks))
    if section.load:
        parts.append(f"Load of the machine before and after: {', '.join(f'{each:.2f}' for each in section.load)}.")
    return parts + list(section.notes)


def _word(check: Check) -> str:
    if check.holds:
        return "holds"
    return "**BROKEN**" if check.is_law else "**missed**"


def _table(columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    lines = [list(columns), ["---"] * len(columns), *([_text(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _list(lines: Any) -> str:
    return "\n".join(f"* {line}" for line in lines)


def _text(cell: Cell) -> str:
    """Three significant digits are more than a shared machine can promise."""
    if cell is None:
        return "–"
    if isinstance(cell, float):
        return f"{cell:,.0f}" if abs(cell) >= 100 else f"{cell:.3g}"
    return f"{cell:,}" if isinstance(cell, int) else cell
