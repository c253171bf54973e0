"""Chromium for browser tests and pictures, as Debian packages it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tools.services import MissingTool

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def chromium_program() -> str:
    program = shutil.which("chromium")
    if program is None:
        raise MissingTool("chromium is missing; install it with: apt-get install chromium")
    return program


def shell_program() -> str:
    """Chromium without windows, tabs and back-forward cache, where it is there: a page takes a third less of the
    processor (1.2 s with its site's part against 0.8 s), which the whole suite is short of."""
    return shutil.which("chromium-headless-shell") or chromium_program()


@contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shell_program(), args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def another_chromium(
    browser: Browser, *arguments: str, program: str = "", without: tuple[str, ...] = ()
) -> Iterator[Browser]:
    """One with arguments of its own, beside `browser`; `without` some that Playwright would add."""
    another = browser.browser_type.launch(
        executable_path=program or shell_program(),
        args=[*ARGUMENTS, *arguments],
        ignore_default_args=list(without),
    )
    try:
        yield another
    finally:
        another.close()


def sign_in(context: BrowserContext, base_url: str, username: str) -> Page:
    """A page of `context`, signed in as one of the demo's people."""
    page = context.new_page()
    page.goto(f"{base_url}/accounts/login/")
    page.get_by_label("User name").fill(username)
    page.get_by_label("Password", exact=True).fill(f"demo-{username}")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(lambda url: "/accounts/login" not in url)
    return page
