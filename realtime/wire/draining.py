"""When a node goes: the moment at which each of its connections is asked to leave. Pure; see docs/protocol.md.

All at once would be a herd at the nodes that stay. A node's process has only so long to end, so where the
usual rate would take longer than half of that, its connections leave faster.
"""

from __future__ import annotations

SOCKETS_A_SECOND = 500
"""What the remaining nodes take in beside their own work."""
ANSWER_MS = 1000.0
"""What a client has to say `leave` when its time has come. A hidden page may be too late: browsers let its timers
run once a second, or once a minute. It is closed then, and comes back as well."""


def leave_times_ms(count: int, within_ms: float, a_second: int = SOCKETS_A_SECOND) -> list[int]:
    """Milliseconds from now for each of `count` connections: evenly spread at `a_second`, and in any case before the
    first half of `within_ms` is over. The other half is for whoever does not answer, and for writing."""
    if count == 0:
        return []
    step_ms = min(1000 / a_second, within_ms / 2 / count)
    return [int(number * step_ms) for number in range(count)]


def answer_ms(within_ms: float) -> float:
    """How long after its moment a connection that has not left is closed, in a drain of `within_ms`."""
    return min(ANSWER_MS, within_ms / 4)
