"""The server's heartbeat: what one look at one connection decides. Pure.

The sweep looks at each connection once a period. A dead client is therefore closed between
`idle_kill` and `idle_kill` + `heartbeat` after its last frame (80–120 s by default), and always
after a ping that had at least `idle_kill` − `heartbeat` to be answered: a round trip longer than the
period, or a client that stands still for less than that, is no death.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

STOOD_STILL_MS = 1000.0


class Verdict(Enum):
    NOTHING = "nothing"  # it has been heard from and spoken to
    PING = "ping"  # one direction was silent: break the silence of proxies, and ask for proof of life
    CLOSE = "close"  # nothing came for the idle-kill time, although it was asked


@dataclass(frozen=True)
class Windows:
    """All in milliseconds; heartbeat < idle_kill is checked when the settings are read."""

    heartbeat_ms: int
    idle_kill_ms: int

    @property
    def quiet_ms(self) -> int:
        """Silence in either direction that asks for a ping: 30 s of a heartbeat of 40 s.

        Never so long that a look which finds it still short of this would leave a later ping less
        than `grace_ms` before the close: looks come a period apart, so the last one that counts
        comes `looks_to_answer` periods before it.
        """
        looks_to_answer = -(-self.grace_ms // self.heartbeat_ms)
        return min(self.heartbeat_ms * 3 // 4, self.idle_kill_ms - looks_to_answer * self.heartbeat_ms)

    @property
    def grace_ms(self) -> int:
        """What a client has at least to answer a ping, also after this process itself stood still."""
        return self.idle_kill_ms - self.heartbeat_ms

    @property
    def late_ms(self) -> float:
        """A look that comes this much over due means that this process stood still: silence then proves nothing,
        for frames may be waiting unread."""
        return min(STOOD_STILL_MS, self.grace_ms / 4)


def decide(now_ms: float, heard_ms: float, told_ms: float, not_before_ms: float, windows: Windows) -> Verdict:
    """What to do with a connection last heard from at `heard_ms` and last written to at `told_ms`.

    Nobody is closed before `not_before_ms`: when this process stood still (busy, stopped, asleep),
    frames may be waiting unread, and silence says nothing about the client.
    """
    silent_ms = now_ms - heard_ms
    if silent_ms >= windows.idle_kill_ms and now_ms >= not_before_ms:
        return Verdict.CLOSE
    if silent_ms >= windows.quiet_ms or now_ms - told_ms >= windows.quiet_ms:
        return Verdict.PING
    return Verdict.NOTHING
