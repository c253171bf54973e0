"""Pages that sleep, freeze and hide: what a laptop lid, a browser that saves memory and a second tab do to them."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page

from e2e.harness.browser import ARGUMENTS, chromium_program

STARTS_WITHIN_S = 30.0
ENDED = ("Z", "X", "")
"""States of a process that runs no more."""
ENDS_WITHIN_S = 10.0
STOPS_WITHIN_S = 10.0
"""A process stops when it gets a processor to do so on."""


@contextmanager
def desktop_chromium(browser: Browser, profile: Path) -> Iterator[BrowserContext]:
    """A browser with one window and real tabs: the one in front is visible and all others are hidden.

    Playwright's own contexts keep every page visible and alive, so this one is started by hand.
    """
    command = [chromium_program(), "--headless", *ARGUMENTS, "--remote-debugging-port=0"]
    process = subprocess.Popen(
        [*command, f"--user-data-dir={profile}", "about:blank"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        address = f"http://127.0.0.1:{_debugging_port(profile, process)}"
        connected = browser.browser_type.connect_over_cdp(address, no_defaults=True)
        yield connected.contexts[0]
        connected.close()
    finally:
        process.terminate()
        process.wait(ENDS_WITHIN_S)


def _debugging_port(profile: Path, process: subprocess.Popen[bytes]) -> int:
    deadline_s = time.monotonic() + STARTS_WITHIN_S
    file = profile / "DevToolsActivePort"
    while not (file.exists() and "\n" in file.read_text()):
        assert process.poll() is None and time.monotonic() < deadline_s, "Chromium did not start"
        time.sleep(0.02)
    return int(file.read_text().splitlines()[0])


@contextmanager
def asleep(browser: Browser) -> Iterator[None]:
    """No page of `browser` runs: its renderer processes are stopped, and wake up together."""
    renderers = renderers_of(browser)
    for process in renderers:
        _tell(process, signal.SIGSTOP)
    try:
        _wait_until_stopped(renderers)
        yield
    finally:
        for process in renderers:
            _tell(process, signal.SIGCONT)


def crash(browser: Browser) -> None:
    """All pages of `browser` die where they stand, without a word; the browser itself goes on."""
    for process in renderers_of(browser):
        _tell(process, signal.SIGKILL)


def _tell(process: int, what: signal.Signals) -> None:
    """Renderers of pages that are closed end when they come to it: some that were listed may be gone by now."""
    with suppress(ProcessLookupError):
        os.kill(process, what)


def renderers_of(browser: Browser) -> list[int]:
    session = browser.new_browser_cdp_session()
    found = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    renderers = [each["id"] for each in found if each["type"] == "renderer"]
    assert renderers, f"no renderer among {found}"
    return renderers


def _wait_until_stopped(processes: list[int]) -> None:
    deadline_s = time.monotonic() + STOPS_WITHIN_S
    while not all(state_of(process) in ("T", *ENDED) for process in processes):
        assert time.monotonic() < deadline_s, "a renderer goes on running"
        time.sleep(0.01)
    assert any(state_of(process) == "T" for process in processes), "there was nothing left to stop"


def state_of(process: int) -> str:
    """One letter, as the kernel says it: T is stopped. Empty if it is gone."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""


@contextmanager
def frozen(page: Page) -> Iterator[None]:
    """The browser has frozen `page`, as it does with hidden ones to save memory; then it goes on."""
    session = page.context.new_cdp_session(page)
    session.send("Page.setWebLifecycleState", {"state": "frozen"})
    try:
        yield
    finally:
        session.send("Page.setWebLifecycleState", {"state": "active"})
        session.detach()
