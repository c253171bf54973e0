"""Excluded while a problem page is open, and let back in: the page says both, and keeps what was typed."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from e2e.harness.jury import Jury, read_everything
from e2e.harness.pages import PROBLEM, Person, open_live
from tools.site_process import SiteProcess

EXCLUDED = "The organisers have excluded you from this contest."
WITHIN_MS = 10_000
ALERT_BUTTON = "#alerts .alert button"


def person_page(grace: Page, name: str) -> Page:
    grace.goto("/staff/contests/demo/people/")
    grace.get_by_role("link", name=name, exact=True).click()
    grace.wait_for_url("**/people/*/")
    return grace


def type_a_draft(page: Page) -> None:
    open_live(page, PROBLEM)
    page.locator(".cm-content").click()
    page.keyboard.insert_text("print(1)")
    expect(page.locator("#draft-said")).to_contain_text("Draft kept")


def exclude(grace: Page, name: str) -> None:
    person_page(grace, name).locator("details.action summary", has_text="Exclude").click()
    grace.locator("form[action$='/exclude/'] [name=reason]").fill("two accounts")
    grace.get_by_role("button", name="Exclude now").click()
    expect(grace.locator(".messages")).to_contain_text("excluded")


def let_back_in(grace: Page) -> None:
    grace.locator("form[action$='/readmit/'] [name=reason]").fill("a mistake")
    grace.get_by_role("button", name="Let back in").click()
    expect(grace.locator(".messages")).to_contain_text("back in")


@pytest.fixture
def excluded(person: Person, site: SiteProcess) -> Iterator[tuple[Page, Page]]:
    """Carol's page of a problem, with a draft and a notice to read, which heard of it while it was open; and the
    jury's page of her."""
    carol, grace = person("carol"), person("grace")
    read_everything(site.url, "carol")
    type_a_draft(carol)
    Jury(site.url).post_notice("The lamps")
    expect(carol.locator(ALERT_BUTTON)).to_be_enabled()
    exclude(grace, carol.locator("header .who").inner_text())
    expect(carol.locator("#shut-out")).to_have_text(EXCLUDED, timeout=WITHIN_MS)
    yield carol, grace
    if grace.locator("form[action$='/readmit/']").count() > 0:
        let_back_in(grace)


def test_an_open_page_says_who_has_shut_it_sends_nothing_and_keeps_what_was_typed(excluded: tuple[Page, Page]) -> None:
    carol, _ = excluded
    expect(carol.locator(".badge-text")).to_have_text("not live: no access")
    expect(carol.get_by_role("button", name="Submit")).to_be_disabled()
    expect(carol.get_by_role("button", name="Run")).to_be_disabled()
    expect(carol.locator("#submit-closed")).to_contain_text("What you have written stays here.")
    expect(carol.locator(".cm-content")).to_contain_text("print(1)")
    carol.locator("details.ask summary").click()
    expect(carol.get_by_role("button", name="Send to the jury")).to_be_disabled()
    expect(carol.locator("#ask-error")).to_have_text(EXCLUDED)
    expect(carol.locator(ALERT_BUTTON)).to_be_disabled()
    expect(carol.locator("#alerts .alert-progress")).to_have_text(EXCLUDED)


def test_a_page_that_is_opened_afterwards_says_it_too(excluded: tuple[Page, Page]) -> None:
    other = excluded[0].context.new_page()
    answer = other.goto("/contests/demo/")
    assert answer is not None
    assert answer.status == 403
    expect(other.locator("main")).to_contain_text(EXCLUDED)


def test_whoever_is_let_back_in_hears_it_in_the_open_page_and_goes_on_with_the_draft(
    excluded: tuple[Page, Page],
) -> None:
    carol, grace = excluded
    let_back_in(grace)
    carol.evaluate("document.dispatchEvent(new Event('visibilitychange'))")  # as if they came back to the tab
    expect(carol.locator("#shut-out")).to_have_text(re.compile("Reload this page"), timeout=WITHIN_MS)
    expect(carol.locator("#alerts .alert-progress")).to_be_empty()
    carol.locator(ALERT_BUTTON).click()
    expect(carol.locator(ALERT_BUTTON)).to_have_count(0)
    assert carol.url.endswith(PROBLEM), "it led away"
    open_live(carol, PROBLEM)
    expect(carol.locator(".cm-content")).to_contain_text("print(1)")
    expect(carol.get_by_role("button", name="Submit")).to_be_enabled()
