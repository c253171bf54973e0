"""What a contestant does on the page of a problem, and what of it the site has."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page

from e2e.harness.assertions import assert_live_within
from e2e.harness.jury import Visitor
from e2e.harness.pages import OVERVIEW, PROBLEM


def asked(person: Visitor) -> list[str]:
    """The questions on the overview, as the site shows it to this person."""
    return re.findall(r'clarification-text"[^>]*>([^<]*)<', person.get(OVERVIEW))


def records(person: Visitor) -> set[str]:
    """The numbers of those that the site lists for this person."""
    return set(re.findall(r'data-record-id="(\d+)"', person.get("/contests/demo/records/")))


def open_problem(enter: Callable[..., Page], person: str = "alice") -> Page:
    """Live, and marked, so that `assert_same_document` can tell it from its successor."""
    page = enter(person, PROBLEM)
    assert_live_within(page, 5)
    page.evaluate("window.sameDocument = true")
    return page


def write_and_submit(page: Page, source: str) -> None:
    write(page, source)
    page.get_by_role("button", name="Submit").click()


def write(page: Page, source: str) -> None:
    page.locator("#id_language").select_option("python")
    page.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(source)


def assert_same_document(page: Page) -> None:
    assert page.evaluate("window.sameDocument") is True, "the page was left"
