"""A file that is lost while a page loads, as when the network changes: the page says so, and comes back by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import pytest
from playwright.sync_api import Browser, Locator, Page, Request, Route, expect

from e2e.harness.pages import OVERVIEW, PROBLEM, Person, open_live
from e2e.harness.sessions import enter_as
from e2e.harness.solving import assert_same_document, write
from tools.site_process import SiteProcess

FIRST_RELOAD = "**/bundles/reload_lost*.js"
CONSOLE = "/staff/contests/demo/"
Lose = Callable[[str, int], list[str]]
"""An address's pattern and how often → what was lost so far."""


@pytest.fixture
def page(site: SiteProcess, browser: Browser) -> Iterator[Page]:
    context = browser.new_context(base_url=site.url, reduced_motion="reduce")
    yield enter_as(context, "alice")
    context.close()


@pytest.fixture
def lose(page: Page) -> Lose:
    return partial(lose_from, page)


def lose_from(page: Page, pattern: str, times: int) -> list[str]:
    lost: list[str] = []

    def drop(route: Route) -> None:
        lost.append(route.request.url)
        route.abort("failed")

    page.route(pattern, drop, times=times)
    return lost


def is_load(request: Request) -> bool:
    return request.is_navigation_request()


def words_of(page: Page) -> Locator:
    return page.locator(".scripts-late")


def test_a_page_that_lost_a_script_is_loaded_anew_by_itself(page: Page, lose: Lose) -> None:
    lost = lose("**/bundles/shared-*.js", 1)
    page.goto(OVERVIEW)
    assert len(lost) == 1, "nothing was lost"
    expect(page.locator("body")).to_have_attribute("data-connection", "live")
    expect(words_of(page)).to_be_hidden()
    assert page.evaluate("performance.getEntriesByType('navigation')[0].type") == "reload"
    page.wait_for_function("sessionStorage.getItem('fathom.lost-loads') === null")


def test_a_style_sheet_is_asked_for_again_beside_what_somebody_types(page: Page, lose: Lose) -> None:
    lost = lose("**/css/frame*.css", 2)
    page.goto(PROBLEM)
    page.evaluate("window.sameDocument = true")
    expect(words_of(page)).to_be_visible()  # as everything that this sheet should hide
    write(page, "print('typed meanwhile')")
    expect(words_of(page)).to_be_hidden()
    assert len(lost) == 2, "it was lost once only"
    assert_same_document(page)
    expect(page.locator(".cm-content")).to_contain_text("typed meanwhile")
    expect(page.locator("body")).to_have_attribute("data-connection", "live")


WAIT_OUT = """words => words.getAnimations().map((waiting) => {
    waiting.finish();
    return waiting.effect.getTiming().delay;
})"""
TYPE_WHEN_LEAVING = """text => {
    window.sameDocument = true;
    addEventListener("beforeunload", () => setTimeout(() => {
        document.querySelector("textarea[name=source]").focus();
        document.execCommand("insertText", false, text);
    }, 100), { once: true });
}"""


def test_typing_over_a_slow_line_stops_the_reload_that_is_on_its_way(page: Page, lose: Lose) -> None:
    lost = lose("**/bundles/problem*.js", 1)
    page.goto(PROBLEM)
    assert lost, "nothing was lost"
    # Playwright's own typing would wait for the page to come.
    page.evaluate(TYPE_WHEN_LEAVING, "int")
    held: list[Route] = []
    page.route(f"**{PROBLEM}", lambda route: held.append(route) if is_load(route.request) else route.continue_())
    with page.expect_event("requestfailed", is_load):
        pass
    assert len(held) == 1, "no reload was on its way"
    assert_same_document(page)
    expect(page.locator("textarea[name=source]")).to_have_value("int")


def test_it_says_so_at_once_and_that_it_reloads_until_the_script_can_be_had(page: Page, lose: Lose) -> None:
    lost = lose("**/bundles/contest*.js", 2)
    page.goto(OVERVIEW)
    expect(words_of(page)).to_contain_text("nothing on it is live. It reloads by itself as soon as it can")
    expect(page.locator("body")).to_have_attribute("data-connection", "live")
    assert len(lost) == 2, "it was loaded once only"


def test_what_somebody_typed_into_it_stays_until_it_is_taken_back(page: Page, lose: Lose) -> None:
    page.clock.install()
    lost = lose("**/bundles/problem*.js", 1)
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


def test_the_answer_to_a_form_is_not_reloaded_away(person: Person) -> None:
    page = person("grace")
    page.clock.install()
    open_live(page, CONSOLE)
    form = page.locator(f"form[action='{CONSOLE}answers/']")
    form.locator("..").locator("summary").click()
    lost = lose_from(page, "**/bundles/staff*.js", 1)
    form.get_by_role("button", name="Save").click()
    saved = page.get_by_text("The common answers are saved.")
    expect(saved).to_be_visible()
    assert lost, "nothing was lost"
    expect(words_of(page)).to_have_text(
        "The scripts of this page did not load, so nothing on it is live. Reload it now", use_inner_text=True
    )
    page.evaluate("window.sameDocument = true")
    for _ in range(3):
        page.clock.fast_forward(60_000)
    assert_same_document(page)
    expect(saved).to_be_visible()


def test_without_the_script_that_reloads_its_style_sheet_says_it_after_a_while(page: Page, lose: Lose) -> None:
    lost = [lose(pattern, 1) for pattern in (FIRST_RELOAD, "**/bundles/shared-*.js")]
    page.goto(OVERVIEW)
    expect(words_of(page)).to_be_hidden()
    assert all(lost), "no script was lost"
    assert words_of(page).evaluate(WAIT_OUT) == [10_000], "it waits for something else than ten seconds"
    expect(words_of(page)).to_have_text(
        "The scripts of this page have not loaded yet, so nothing on it is live. Reload it now", use_inner_text=True
    )
    words_of(page).get_by_role("link", name="Reload it").click()
    expect(page.locator("body")).to_have_attribute("data-connection", "live")
    expect(words_of(page)).to_be_hidden()
