"""Medians and percentiles of what was measured. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil


def percentile(values: Sequence[float], share: float) -> float | None:
    """The smallest value that at least `share` (0 to 1) of all do not exceed; None of nothing."""
    if not values:
        return None
    ordered = sorted(values)
    return ordered[max(1, ceil(len(ordered) * share)) - 1]


def median(values: Sequence[float]) -> float | None:
    return percentile(values, 0.5)


def ratio(value: float | None, base: float | None) -> float | None:
    """How many times `base`; None where one of them is missing."""
    return value / base if value is not None and base else None
