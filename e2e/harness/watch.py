"""What a page said of its connections over time, so that blindness is measured and not guessed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from playwright.sync_api import BrowserContext, Page

SCRIPT = (Path(__file__).parent / "watch.js").read_text()
LOOK_EVERY_MS = 50
BEAT_MS = 100
"""Of the pulse that watch.js keeps."""
PAUSES_WITHIN_S = 60.0
"""Waits between two tries double until they are long."""
MOST_EXCUSED_MS = 5_000
"""However busy the machine is: a page that blocks itself must not excuse itself."""


_troubles: WeakKeyDictionary[BrowserContext, list[str]] = WeakKeyDictionary()


def install_watch(context: BrowserContext) -> None:
    """From its next navigation on, every page of `context` keeps its own history."""
    context.add_init_script(SCRIPT)
    troubles = _troubles.setdefault(context, [])
    # A page whose scripts did not come, or did not run, looks from within like one that is still connecting.
    context.on("requestfailed", lambda request: troubles.append(f"failed: {request.url} {request.failure}"))
    context.on("weberror", lambda error: troubles.append(f"thrown: {error.error}"))


@dataclass(frozen=True)
class Change:
    """`name` is a stream, or "page" for the badge; from `at_ms` on the page said `state` of it."""

    name: str
    state: str
    at_ms: float


class Watch:
    """The history of one document. Times are the page's monotonic milliseconds."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def now_ms(self) -> float:
        return float(self.page.evaluate("performance.now()"))

    def changes(self) -> list[Change]:
        return [Change(each["name"], each["state"], each["atMs"]) for each in self._read("states")]

    def names(self) -> list[str]:
        """The page itself and its streams."""
        return sorted({change.name for change in self.changes()})

    def state(self, name: str) -> str:
        return [change.state for change in self.changes() if change.name == name][-1]

    def said(self) -> list[str]:
        """Everything that the live regions said to a screen reader."""
        return [each["text"] for each in self._read("said")]

    def events(self, since_ms: float = 0) -> list[str]:
        """Names of the page events that took place, in order."""
        return [each["name"] for each in self._read("events") if each["atMs"] >= since_ms]

    def is_hidden(self) -> bool:
        """Whether the page was told so. Events of focus and loading come before or after that, as it falls out."""
        return [each for each in self.events() if each in ("hidden", "visible")][-1:] == ["hidden"]

    def handshakes_ms(self) -> list[float]:
        """When the page began to open its WebSockets, in order."""
        return [each["atMs"] for each in self._read("handshakes")]

    def stalled_ms(self, since_ms: float, until_ms: float) -> float:
        """For how long of that time no timer of the page ran when it was due. In a visible page that is the machine's
        doing, or a script of the page that runs on for long: from inside the two look alike, so no more than
        `MOST_EXCUSED_MS` of it counts."""
        beats: list[float] = [each for each in self._read("beats") if since_ms < each < until_ms]
        gaps_ms = (late - early - BEAT_MS for early, late in pairwise([since_ms, *beats, until_ms]))
        return min(sum(max(gap_ms, 0.0) for gap_ms in gaps_ms), MOST_EXCUSED_MS)

    def own_s(self, since_ms: float, took_s: float) -> float:
        """Of `took_s` from `since_ms` on, the time in which the page could act."""
        return took_s - self.stalled_ms(since_ms, since_ms + took_s * 1000) / 1000

    def _own_s_since(self, since_ms: float) -> float:
        return self.own_s(since_ms, (self.now_ms() - since_ms) / 1000)

    def longest_standstill_ms(self) -> float:
        """The longest time in which no script of the page ran."""
        beats = self._read("beats")
        return max((late - early for early, late in pairwise(beats)), default=0.0)

    def was_live_ms(self, name: str, since_ms: float, until_ms: float) -> float:
        """For how long of that time `name` was called live."""
        total, state, from_ms = 0.0, "", since_ms
        for change in [*self.changes(), Change(name, "", until_ms)]:
            if change.name != name:
                continue
            at_ms = min(max(change.at_ms, since_ms), until_ms)
            total += at_ms - from_ms if state == "live" else 0.0
            state, from_ms = change.state, at_ms
        return total

    def first_after(self, name: str, since_ms: float, wanted: Callable[[str], bool]) -> float | None:
        """Milliseconds from `since_ms` until `name` was said to be in a wanted state; 0 if it was already."""
        history = [change for change in self.changes() if change.name == name]
        before = [change for change in history if change.at_ms <= since_ms]
        if before and wanted(before[-1].state):
            return 0.0
        after = [change for change in history if change.at_ms > since_ms and wanted(change.state)]
        return after[0].at_ms - since_ms if after else None

    def wait_until(
        self, condition: Callable[[], bool], within_s: float, what: str, since_ms: float | None = None
    ) -> None:
        """Look again and again until `condition` holds. Raises AssertionError with the page's history.

        With `since_ms` the seconds are the page's own from then on, otherwise any from now on.
        """
        started_s = time.monotonic()
        while True:
            # Before the look: whoever is kept from the processor between the two must not take it for a late page.
            passed_s = time.monotonic() - started_s if since_ms is None else self._own_s_since(since_ms)
            if condition():
                return
            if passed_s > within_s:
                raise AssertionError(f"not within {within_s:.1f} s: {what}\n{self.story()}")
            self.page.wait_for_timeout(LOOK_EVERY_MS)

    def next_try_s(self) -> float:
        """From now until the page tries to connect again by itself, as it says; 0 if that is not what it waits for.
        A stream that has never been tried says no time of its own: it follows the one that tries for all."""
        open_ones: list[tuple[str, float | None]] = self.page.evaluate(
            "window.fathom.connections().filter((each) => each.state !== 'ended')"
            ".map((each) => [each.phase, each.nextTryMs])"
        )
        if any(phase != "waiting" for phase, _ in open_ones):
            return 0.0
        return min((each_ms / 1000 for _, each_ms in open_ones if each_ms is not None), default=0.0)

    def wait_for_a_pause(self, for_s: float, *others: Watch) -> None:
        """Until no try of it and of `others` is under way, and none comes for so long by itself."""
        self.wait_until(
            lambda: all(each.next_try_s() > for_s for each in (self, *others)),
            PAUSES_WITHIN_S,
            f"no try comes for {for_s:.1f} s",
        )

    def story(self) -> str:
        said = [(change.at_ms, f"{change.name}: {change.state}") for change in self.changes()]
        told = [(each["atMs"], f"event: {each['name']}") for each in self._read("events")]
        lines = [f"{at_ms:9.0f} ms  {what}" for at_ms, what in sorted(said + told)]
        inside = self.page.evaluate("JSON.stringify(window.fathom?.connections?.(), null, 1)")
        troubles = _troubles.get(self.page.context, [])
        return "\n".join([*lines, f"now {self.now_ms():.0f} ms", str(inside), *troubles])

    def _read(self, what: str) -> list[Any]:
        found: list[Any] = self.page.evaluate(f"window.watch.{what}")
        return found


def transports(page: Page) -> set[str]:
    """What carries the streams of this page now: `websocket`, `events`."""
    found: list[str] = page.evaluate("window.fathom.connections().map((each) => each.transport)")
    return set(found)
