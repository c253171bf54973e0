"""The liveness windows that a site is started with, and the bounds that follow from them.

Tests shorten windows by the environment only, all by one factor, so that what holds for the short
ones holds for the defaults.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass

SLACK_S = float(os.environ.get("FATHOM_TEST_SLACK_S", "1"))
"""Seconds that a busy machine may add to any bound."""

OPENS_WITHIN_S = 5.0
"""A page that was asked for just now is there and live."""
HAPPENS_WITHIN_S = 10.0 + 5 * SLACK_S
"""What has no bound of its own, and only has to happen before a test goes on. Also the time of every `expect` without
one: it is no promise, so it leaves room for a page load and a process's start on a machine that is busy."""
LONGEST_BACKOFF_S = 7.5
"""The cap of the wait between two tries, at the far end of its jitter."""
FIRST_WAIT_S = 0.45
"""The first of those waits, likewise."""
ON_ITS_FALLBACK_WITHIN_S = 15.0
"""A page whose network lets no WebSocket pass is live over event streams, with the default windows."""
FOLLOW_S = 0.3
"""Within this time the other streams follow the one that has tried for all."""


@dataclass(frozen=True)
class Windows:
    """In milliseconds, named as the settings are."""

    heartbeat_ms: int = 40_000
    silence_ms: int = 120_000
    probe_ms: int = 10_000
    idle_kill_ms: int = 80_000
    report_ms: int = 10_000
    lease_ms: int = 30_000

    def shortened(self, factor: int) -> Windows:
        return Windows(**{name: value // factor for name, value in asdict(self).items()})

    @property
    def environment(self) -> dict[str, str]:
        return {f"FATHOM_{name.upper()}": str(value) for name, value in asdict(self).items()}

    # --- Bounds, in seconds -----------------------------------------------------------------------

    @property
    def evidence_s(self) -> float:
        """A probe that trouble elsewhere or a page event has caused."""
        return 0.3 * self.probe_ms / 1000

    @property
    def known_within_s(self) -> float:
        """A dead path is known to all streams of a page with a timer: a report, its reply's deadline,
        and the probe of the others."""
        return 1.8 * self.report_ms / 1000 + self.evidence_s

    @property
    def silence_noticed_within_s(self) -> float:
        """The same on a page without a timer: the silence and the probe that ends it."""
        return (self.silence_ms + self.probe_ms) / 1000

    @property
    def scout_s(self) -> float:
        """One hanging handshake holds up the page for no longer."""
        return self.probe_ms / 2000

    @property
    def back_within_s(self) -> float:
        """After the path is whole again: a try that hangs, the longest wait, and the others' following."""
        return self.scout_s + LONGEST_BACKOFF_S + FOLLOW_S


DEFAULTS = Windows()
SHORT = DEFAULTS.shortened(5)
QUICK = Windows(
    heartbeat_ms=1_500, silence_ms=4_500, probe_ms=1_000, idle_kill_ms=3_000, report_ms=1_000, lease_ms=3_000
)
"""All over within six seconds, for tests of silence and sleep."""
QUICK_HANDSHAKE_MS = 4_000
QUICK_HIDDEN_MS = 3_000
