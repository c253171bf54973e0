"""The badge says first that the page is not live, and never makes a phone's page wider than its screen."""

from __future__ import annotations

from playwright.sync_api import Browser, Page, expect

from e2e.harness.pages import refuse_connections
from e2e.harness.screens import PHONE
from e2e.harness.sessions import enter_as
from tools.site_process import SiteProcess


def width_of(page: Page) -> int:
    return int(page.evaluate("document.documentElement.scrollWidth"))


def test_on_a_phone_a_page_that_is_not_live_says_so_and_stays_as_wide_as_the_screen(
    site: SiteProcess, browser: Browser
) -> None:
    context = browser.new_context(viewport=PHONE, base_url=site.url)
    page = enter_as(context, "alice")
    for path in ("/contests/demo/", "/contests/demo/problems/A/"):
        page.goto(path)
        expect(page.locator("body")).to_have_attribute("data-connection", "live")
        assert width_of(page) == PHONE["width"]
    refused = refuse_connections(page)
    page.goto("/contests/demo/problems/A/")
    badge = page.locator(".badge-text")
    for state in ("reconnecting", "paused"):
        expect(page.locator(f"body[data-connection='{state}']")).to_be_visible(timeout=30_000)
        expect(badge).to_contain_text("not live")
        assert badge.inner_text().startswith("not live")
        assert width_of(page) == PHONE["width"]
    assert refused, "nothing was refused, so nothing was lost"
    expect(badge).to_contain_text("the server is busy, next try in")
    context.close()
