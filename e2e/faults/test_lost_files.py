"""A file that is lost while a page loads, as when the network changes: the page says so, and comes back by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from e2e.harness.pages import OVERVIEW, PROBLEM
from e2e.harness.sessions import enter_as
from e2e.harness.solving import assert_same_document
from tools.site_process import SiteProcess

FIRST_RELOAD = "**/js/pages/reload_lost*.js"
Lose = Callable[[str, int], list[str]]
"""An address's pattern and how often → what was lost so far."""


@pytest.fixture
def page(site: SiteProcess, browser: Browser) -> Iterator[Page]:
    context = browser.new_context(base_url=site.url, reduced_motion="reduce")
    yield enter_as(context, "alice")
    context.close()


@pytest.fixture
def lose(page: Page) -> Lose:
    def begin(pattern: str, times: int) -> list[str]:
        lost: list[str] = []

        def drop(route: Route) -> None:
            lost.append(route.request.url)
            route.abort("failed")

        page.route(pattern, drop, times=times)
        return lost

    return begin


def words_of(page: Page) -> Locator:
    return page.locator(".scripts-late")


@pytest.mark.parametrize("pattern", ["**/js/realtime/link_clock*.js", "**/css/frame*.css"])
def test_a_page_that_lost_a_script_or_a_style_sheet_is_loaded_anew_by_itself(
    page: Page, lose: Lose, pattern: str
) -> None:
    lost = lose(pattern, 1)
    page.goto(OVERVIEW)
    assert len(lost) == 1, "nothing was lost"
    expect(page.locator("body")).to_have_attribute("data-connection", "live")
    expect(words_of(page)).to_be_hidden()
    assert page.evaluate("performance.getEntriesByType('navigation')[0].type") == "reload"
    page.wait_for_function("sessionStorage.getItem('fathom.lost-loads') === null")


def test_it_says_so_at_once_and_that_it_reloads_until_the_script_can_be_had(page: Page, lose: Lose) -> None:
    lost = lose("**/js/pages/contest*.js", 2)
    page.goto(OVERVIEW)
    expect(words_of(page)).to_contain_text("nothing on it is live. It reloads by itself as soon as it can")
    expect(page.locator("body")).to_have_attribute("data-connection", "live")
    assert len(lost) == 2, "it was loaded once only"


def test_what_somebody_typed_into_it_stays_until_it_is_taken_back(page: Page, lose: Lose) -> None:
    page.clock.install()
    lost = lose("**/js/pages/problem*.js", 1)
    page.goto(PROBLEM)
    assert lost, "nothing was lost"
    source = page.locator("textarea[name=source]")
    source.fill("int main() {}")
    page.evaluate("window.sameDocument = true")
    page.clock.fast_forward(60_000)
    assert_same_document(page)
    expect(source).to_have_value("int main() {}")
    source.fill(source.evaluate("field => field.defaultValue"))
    with page.expect_navigation():
        page.clock.fast_forward(60_000)
    expect(page.locator("body")).to_have_attribute("data-connection", "live")


def test_without_the_script_that_reloads_its_style_sheet_says_it_after_a_while(page: Page, lose: Lose) -> None:
    lost = [lose(pattern, 1) for pattern in (FIRST_RELOAD, "**/js/realtime/link*.js")]
    page.goto(OVERVIEW)
    expect(words_of(page)).to_be_hidden()
    expect(words_of(page)).to_be_visible()
    assert all(lost), "no script was lost"
    words_of(page).get_by_role("link", name="Reload it").click()
    expect(page.locator("body")).to_have_attribute("data-connection", "live")
    expect(words_of(page)).to_be_hidden()
