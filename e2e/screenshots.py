"""Takes the pictures of the README from a running demo contest. Usage: python -m e2e.screenshots [FOLDER]

With a folder it takes every page there in light, dark and phone width instead, to be looked at.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page, ViewportSize, expect

from e2e.harness.browser import chromium, sign_in
from e2e.harness.pages import post_notice, submit
from e2e.harness.programs import RIGHT
from tools.site_process import SiteProcess

DESK: ViewportSize = {"width": 1280, "height": 860}
PHONE: ViewportSize = {"width": 390, "height": 844}
PAGES = {
    "alice": {
        "contests": "/",
        "contest": "/contests/demo/",
        "problem": "/contests/demo/problems/A/",
        "records": "/contests/demo/records/",
        "record": "/records/1/",
        "standings": "/contests/demo/standings/",
        "own-time": "/contests/demo/time/",
        "profile": "/accounts/profile/",
        "missing": "/contests/none/",
    },
    "grace": {
        "staff": "/staff/contests/demo/",
        "ledger": "/staff/contests/demo/notices/1/",
        "times": "/staff/contests/demo/time/",
        "schedule": "/staff/contests/demo/schedule/",
        "people": "/staff/contests/demo/people/",
        "rejudge": "/staff/contests/demo/rejudge/?problem=A",
    },
    "olga": {"operations": "/staff/operations/"},
}
Scheme = Literal["light", "dark"]


def main() -> None:
    with tempfile.TemporaryDirectory() as data, chromium() as browser:
        site = SiteProcess(Path(data) / "data", {"FATHOM_DEMO": "1", "FATHOM_JUDGE_SLOTS": "1"})
        site.manage("migrate", "--verbosity", "0")
        site.start()
        try:
            _fill(browser, site)
            if len(sys.argv) > 1:
                _take_all(browser, site, Path(sys.argv[1]))
            else:
                _take(browser, site, "alice", "light", DESK, {"problem": Path("docs/images/problem.png")})
        finally:
            site.stop()


def _fill(browser: Browser, site: SiteProcess) -> None:
    """One accepted record of Alice's and a notice by Grace."""
    page = _enter(browser, site, "alice", "light", DESK)
    submit(page, RIGHT)
    expect(page.locator("[data-record-id]").first).to_have_attribute("data-status", "final", timeout=30_000)
    staff = _enter(browser, site, "grace", "light", DESK)
    body = "The statement was **corrected**. Nothing was judged differently."
    post_notice(staff, "Problem A: both numbers are on one line", requires_ack=True, body=body)


def _take_all(browser: Browser, site: SiteProcess, folder: Path) -> None:
    looks: list[tuple[str, Scheme, ViewportSize]] = [("light", "light", DESK), ("dark", "dark", DESK)]
    for look, scheme, size in [*looks, ("phone", "light", PHONE)]:
        for person, pages in PAGES.items():
            _take(browser, site, person, scheme, size, {name: folder / f"{name}-{look}.png" for name in pages})


def _take(
    browser: Browser, site: SiteProcess, person: str, scheme: Scheme, size: ViewportSize, targets: dict[str, Path]
) -> None:
    page = _enter(browser, site, person, scheme, size)
    for name, target in targets.items():
        target.parent.mkdir(parents=True, exist_ok=True)
        page.goto(PAGES[person][name])
        page.wait_for_load_state("networkidle")
        page.screenshot(path=target, full_page=len(sys.argv) > 1)
    page.context.close()


def _enter(browser: Browser, site: SiteProcess, person: str, scheme: Scheme, size: ViewportSize) -> Page:
    context = browser.new_context(viewport=size, color_scheme=scheme, base_url=site.url, reduced_motion="reduce")
    return sign_in(context, site.url, person)


if __name__ == "__main__":
    main()
