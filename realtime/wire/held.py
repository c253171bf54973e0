"""How much of what people send is held for whom, before it is done. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Hashable
from contextlib import contextmanager


class Bodies:
    """What is held of bodies that are not done with yet, for each payer at most `limit_bytes`.

    The threat: bodies that stop short of their end, or come byte by byte, are held as long as their sender likes;
    the number of requests a second does not bound how many there are at once."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes
        self._held: Counter[Hashable] = Counter()

    @contextmanager
    def room(self, payer: Hashable) -> Generator[Callable[[int], bool], None, None]:
        """For one body. Yields what counts a part of it, and says whether that is still within the limit.
        None as payer: no limit."""
        own_bytes = 0

        def takes(size_bytes: int) -> bool:
            nonlocal own_bytes
            own_bytes += size_bytes
            self._held[payer] += size_bytes
            return payer is None or self._held[payer] <= self._limit_bytes

        try:
            yield takes
        finally:
            self._held[payer] -= own_bytes
            if not self._held[payer]:
                del self._held[payer]
