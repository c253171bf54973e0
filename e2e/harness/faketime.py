"""Browsers whose pages believe in another wall clock: from their start, or moved while they are open."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page

from e2e.harness.browser import another_chromium
from tools.services import MissingTool

STEPS = (Path(__file__).parent / "wall_clock.js").read_text()


@contextmanager
def chromium_with_wrong_clock(browser: Browser, difference_s: int) -> Iterator[Browser]:
    """Its wall clock is wrong by `difference_s` for good, as that of a computer with an empty battery.

    Only the processes of pages are lied to, and only about the time of day: a browser that is lied to as a whole
    hangs, and the monotonic clock is not wrong on any machine.
    """
    # Without the last one a thread that waits until a monotonic moment waits for another one.
    fix = "DONT_FAKE_MONOTONIC=1 FAKETIME_DONT_FAKE_MONOTONIC=1 FAKETIME_FORCE_MONOTONIC_FIX=0"
    lie = f"env LD_PRELOAD={_library()} FAKETIME={difference_s:+d}s {fix}"
    with another_chromium(browser, "--no-zygote", f"--renderer-cmd-prefix={lie}") as running:
        yield running


def allow_steps(context: BrowserContext) -> None:
    """From their next navigation on the wall clock of `context`'s pages can be set by `step`."""
    context.add_init_script(STEPS)


def step(page: Page, difference_s: int) -> None:
    """Somebody sets the clock of the computer: from now on it is wrong by `difference_s`."""
    page.evaluate("(ms) => window.setWallClock(ms)", difference_s * 1000)


def _library() -> Path:
    found = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
    if not found:
        raise MissingTool("libfaketime is missing; install it with: apt-get install faketime")
    return found[0]
