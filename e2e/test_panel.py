"""Looking inside a page's connections from its badge, by keyboard, by mouse and on a phone; the account's menu."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Browser, expect

from e2e.harness.pages import OVERVIEW, PROBLEM, Person, open_live
from e2e.harness.sessions import enter_as
from tools.site_process import SiteProcess

PHONE = {"width": 390, "height": 844}
NO_CLIPBOARD = "Object.defineProperty(Navigator.prototype, 'clipboard', { get: () => undefined })"
"""As on an http:// address that is not this machine's own."""


def test_the_panel_opens_and_closes_by_keyboard_and_ticks_while_it_is_open(person: Person) -> None:
    page = open_live(person("alice"), PROBLEM)
    summary, timer = page.locator(".badge > summary"), page.locator("[data-stream=timer]")
    expect(page.locator(".copy-report")).to_be_hidden()
    summary.focus()
    expect(page.locator(".badge-age")).to_contain_text("last frame")
    page.keyboard.press("Enter")
    expect(timer.locator(".stream-life")).to_have_text(
        re.compile(r"last frame \d+\ss ago · round trip \d+ ms · WebSocket")
    )
    expect(page.locator("[data-stream=announcements] .stream-place")).to_have_text(
        re.compile(r"at contest \d+, me \d+ · tried once")
    )
    expect(page.locator(".page-clock")).to_have_text(re.compile(r"synchronised, ± \d+ ms"))
    expect(page.locator(".page-windows")).to_have_text(re.compile(r"every [\d.]+ s; after [\d.]+ s of silence"))
    before = timer.locator(".stream-life").inner_text()
    expect(timer.locator(".stream-life")).not_to_have_text(before)
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY", "it has taken the focus"
    page.keyboard.press("Escape")
    expect(page.locator(".copy-report")).to_be_hidden()


def test_the_panel_gives_all_of_it_as_text_also_without_a_clipboard(person: Person) -> None:
    page = person("alice")
    page.add_init_script(NO_CLIPBOARD)
    open_live(page, PROBLEM)
    assert page.evaluate("navigator.clipboard") is None
    page.locator(".badge > summary").press("Enter")
    expect(page.locator(".page-client")).not_to_be_empty()  # it is written a task after it was opened
    page.locator(".copy-report").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".copy-report")).to_have_text("Copied")
    page.locator(".badge > summary").press("Escape")
    page.locator(".cm-content").click()
    page.keyboard.press("Control+V")
    expect(page.locator(".cm-content")).to_contain_text("Connections of " + PROBLEM)
    report = page.locator(".connection-report").text_content() or ""
    inside = json.loads(report.splitlines()[-1])
    assert inside["page"]["client"] == page.locator(".page-client").text_content()
    assert {each["name"] for each in inside["streams"]} == {"announcements", "records", "selftest", "timer"}


def test_the_mouse_shows_the_age_of_the_last_frame_and_a_thumb_opens_the_panel(
    site: SiteProcess, browser: Browser
) -> None:
    context = browser.new_context(base_url=site.url)
    page = open_live(enter_as(context, "bob"), PROBLEM)
    age = page.locator(".badge-age")
    expect(age).to_be_hidden()
    page.locator(".badge > summary").hover()
    expect(age).to_be_visible()
    first = age.inner_text()
    expect(age).not_to_have_text(first)
    page.mouse.move(0, 0)
    expect(age).to_be_hidden()
    context.close()
    context = browser.new_context(viewport=PHONE, has_touch=True, base_url=site.url)  # type: ignore[arg-type]
    page = open_live(enter_as(context, "bob"), PROBLEM)
    page.locator(".badge > summary").tap()
    expect(page.locator("[data-stream=timer] .stream-life")).to_contain_text("last frame")
    panel = page.locator(".badge > .menu-body").bounding_box()
    assert panel is not None
    assert panel["y"] + panel["height"] <= PHONE["height"]
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    page.locator(".copy-report").tap()
    expect(page.locator(".copy-report")).to_have_text("Copied")
    context.close()


@pytest.mark.parametrize("path", [OVERVIEW, "/accounts/profile/"], ids=["in a contest", "beside contests"])
def test_the_accounts_menu_closes_by_escape_and_for_whoever_goes_on_elsewhere(person: Person, path: str) -> None:
    page = person("alice")
    page.goto(path)
    page.wait_for_load_state("networkidle")
    summary, opened = page.locator(".account-menu > summary"), page.locator(".account-menu[open]")
    summary.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Profile and time zone")).to_be_focused()
    page.keyboard.press("Escape")
    expect(opened).to_have_count(0)
    expect(summary).to_be_focused()
    summary.click()
    page.locator(".account-menu strong").click()
    expect(opened).to_have_count(1)
    page.locator("main h1").first.click()
    expect(opened).to_have_count(0)
