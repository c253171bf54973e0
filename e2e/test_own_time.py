"""Own time as a person sees it: it goes on while the page is in front, and leaving the page loses nothing."""

from __future__ import annotations

import time
from typing import Any

from playwright.sync_api import Page, expect

from e2e.harness.pages import Person, open_live

WORKED_MS = 2_500
TIME = "/contests/demo/time/"


def own_time(page: Page) -> Any:
    """On a connection of its own: one that was kept may be closed by the server at this moment."""
    return page.request.get(TIME, headers={"Connection": "close"}).json()


def test_leaving_a_page_settles_its_time_and_the_list_shows_it(person: Person) -> None:
    page = person("bob")
    before_ms = own_time(page)["accumulated_ms"]
    open_live(page, "/contests/demo/")
    own = page.locator("#own-time")
    expect(own).to_have_attribute("data-synchronised", "true")
    # Between two reports the page itself counts on: much sooner than the next one is due.
    deadline = time.monotonic() + 9
    while int(own.get_attribute("data-accumulated-ms") or 0) < before_ms + WORKED_MS:
        assert time.monotonic() < deadline, "it does not go on between two reports"
        page.wait_for_timeout(100)
    page.goto("/accounts/profile/")
    deadline = time.monotonic() + 5
    while (counted_ms := own_time(page)["accumulated_ms"]) < before_ms + WORKED_MS - 500:
        assert time.monotonic() < deadline, "what was said on leaving was not settled"
    assert counted_ms - before_ms < 60_000
    open_live(page, TIME)
    expect(page.locator(".times tr[data-kind=counted]").first).to_be_visible()
    expect(page.get_by_text("it need not have the focus")).to_be_visible()
