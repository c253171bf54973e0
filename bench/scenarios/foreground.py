"""The timer's rule once more, written down apart from the server: what may be credited to one page. Pure.

For a page that is always in the foreground and alone: between two consecutive reports at most a lease
apart, as much as its own clock grew, at most the time between their arrivals.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Reported:
    """One settled report; `arrived_ms` is the server's `as_of`, `foreground_ms` what the page said."""

    client_seq: int
    arrived_ms: int
    foreground_ms: int


def allowed_ms(reports: Iterable[Reported], lease_ms: int) -> int:
    """The credit of all of them, in whatever order their replies came."""
    ordered = sorted(reports, key=lambda report: report.client_seq)
    return sum(_between(before, after, lease_ms) for before, after in pairwise(ordered))


def _between(before: Reported, after: Reported, lease_ms: int) -> int:
    elapsed_ms = after.arrived_ms - before.arrived_ms
    if not 0 <= elapsed_ms <= lease_ms:
        return 0
    return max(0, min(after.foreground_ms - before.foreground_ms, elapsed_ms))
