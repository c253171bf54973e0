"""How much may be on its way to a client at once. Pure.

Every JSON frame that is sent takes credit; the client's `seen` gives it back. Without credit
nothing is queued: the connection reads the log from its own cursor when credit returns. So a
client that takes nothing in costs at most this much memory, wherever the bytes pile up.
"""

from __future__ import annotations

FRAMES = 256
BYTES = 512 * 1024


class Credit:
    """Frames sent and not yet seen, with their sizes."""

    __slots__ = ("outstanding_bytes", "seen_frames", "sizes")

    def __init__(self) -> None:
        self.seen_frames = 0
        self.outstanding_bytes = 0
        self.sizes: list[int] = []

    @property
    def is_all_seen(self) -> bool:
        return not self.sizes

    @property
    def has_room(self) -> bool:
        """Whether one more event may go out. A single frame may overshoot the bytes, or a large one never could."""
        return len(self.sizes) < FRAMES and self.outstanding_bytes < BYTES

    @property
    def has_half_of_its_room(self) -> bool:
        return len(self.sizes) <= FRAMES // 2 and self.outstanding_bytes <= BYTES // 2

    def take(self, size_bytes: int) -> None:
        self.sizes.append(size_bytes)
        self.outstanding_bytes += size_bytes

    def give_back(self, seen_frames: int) -> bool:
        """The client has taken in `seen_frames` in all. False if that is no news (an older or repeated figure)."""
        fresh = min(seen_frames - self.seen_frames, len(self.sizes))
        if fresh <= 0:
            return False
        self.outstanding_bytes -= sum(self.sizes[:fresh])
        del self.sizes[:fresh]
        self.seen_frames += fresh
        return True
