"""What a page asks of the browser to be heard: sounds and notifications, counted where they leave the page."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Page

SCRIPT = (Path(__file__).parent / "bell_spy.js").read_text()
LOOK_EVERY_MS = 25
HEARD_WITHIN_S = 5.0
"""A page waits 150 ms for the claims of others; timers of hidden ones run once a second."""
TAKEN_FOR_MS = 3_000
"""After so long a page that gave way to another one would make the sound itself."""
PLAIN, CRITICAL = "sine", "triangle"


def install_bell_spy(
    context: BrowserContext,
    *,
    permission: str = "granted",
    answer: str = "granted",
    is_away: bool = False,
    has_channel: bool = True,
    has_memory: bool = True,
) -> None:
    """From its next navigation on. `answer` is what a person says when asked for the permission."""
    choices = {
        "permission": permission,
        "answer": answer,
        "isAway": is_away,
        "hasChannel": has_channel,
        "hasMemory": has_memory,
    }
    context.add_init_script(f"const CHOICES = {json.dumps(choices)};\n{SCRIPT}")


def sounds(*pages: Page) -> list[str]:
    """The waves of the sounds that these documents have begun."""
    return [wave for page in pages for wave in page.evaluate("window.bell.sounds")]


def notifications(*pages: Page) -> list[dict[str, Any]]:
    return [each for page in pages for each in page.evaluate("window.bell.notifications")]


def claims(page: Page) -> int:
    """How often this page has told the others that it would make a sound."""
    told: int = page.evaluate("window.bell.claims")
    return told


def let_sound(page: Page) -> None:
    """Browsers let a page sound after somebody has used it."""
    page.mouse.click(2, 2)
    assert page.evaluate("navigator.userActivation.hasBeenActive") is True, "the click was no gesture"


def wait_for_sounds(count: int, *pages: Page) -> None:
    """Raises AssertionError if there are not that many in time, or more."""
    deadline_s = time.monotonic() + HEARD_WITHIN_S
    while len(sounds(*pages)) < count and time.monotonic() < deadline_s:
        pages[0].wait_for_timeout(LOOK_EVERY_MS)
    assert len(sounds(*pages)) == count, f"{[sounds(page) for page in pages]} instead of {count}"


class Onlooker:
    """Looks into a page without touching it: whatever else looks there counts as a gesture of a person."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._session = page.context.new_cdp_session(page)

    def read(self, expression: str) -> Any:
        given = {"expression": expression, "returnByValue": True, "userGesture": False}
        return self._session.send("Runtime.evaluate", given)["result"].get("value")

    def wait_for(self, expression: str) -> None:
        deadline_s = time.monotonic() + HEARD_WITHIN_S
        while not self.read(expression):
            assert time.monotonic() < deadline_s, expression
            self._page.wait_for_timeout(LOOK_EVERY_MS)


def wait_until_told(page: Page, notice: int) -> None:
    """The page has decided who makes the sound, and this browser remembers it, whether one came or not."""
    deadline_s = time.monotonic() + HEARD_WITHIN_S
    while f'"notice/{notice}"' not in page.evaluate("Object.values(localStorage).join()"):
        assert time.monotonic() < deadline_s, "the notice was not told"
        page.wait_for_timeout(LOOK_EVERY_MS)
