"""A form that leads to another page is not sent into a path that is dead: it stays, with everything that was typed."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from e2e.faults.conftest import Enter
from e2e.harness.assertions import assert_live_soon, assert_live_within
from e2e.harness.carrying import Direction
from e2e.harness.fault_proxy import Door, FaultProxy
from e2e.harness.solving import assert_same_document
from e2e.harness.windows import HAPPENS_WITHIN_S, SHORT

CONSOLE = "/staff/contests/demo/"
SENTENCES = "Read the statement.\nNo comment."
SAID_WITHIN_MS = SHORT.probe_ms + HAPPENS_WITHIN_S * 1_000
"""The probe's time, and what a browser needs to give up."""


def write_common_answers(page: Page) -> Locator:
    """Not sent yet. They are nobody's business in other tests."""
    assert_live_soon(page)
    page.evaluate("window.sameDocument = true")
    form = page.locator(f"form[action='{CONSOLE}answers/']")
    form.locator("..").locator("summary").click()
    form.get_by_label("Common answers").fill(SENTENCES)
    return form


def press(form: Locator) -> None:
    form.get_by_role("button", name="Save").click(no_wait_after=True)


@pytest.mark.parametrize("fault", ["half open", "refused"])
def test_over_a_dead_path_it_stays_in_words_and_goes_when_it_is_pressed_again(
    enter: Enter, proxy: FaultProxy, fault: str
) -> None:
    page = enter("grace", CONSOLE)
    form = write_common_answers(page)
    if fault == "half open":
        proxy.black_hole(Direction.UP, Direction.DOWN)
    else:
        proxy.close_door(Door.REFUSE)
        proxy.reset_all()
    press(form)
    expect(form.get_by_role("status")).to_contain_text("The site does not answer", timeout=SAID_WITHIN_MS)
    assert proxy.swallowed > 0 if fault == "half open" else proxy.is_refusing(), "the path was not dead"
    expect(form.get_by_label("Common answers")).to_have_value(SENTENCES)
    assert_same_document(page)
    proxy.heal()
    assert_live_within(page, SHORT.back_within_s)
    press(form)
    expect(page.locator("main > .messages, main .messages").first).to_be_visible()
    assert page.evaluate("window.sameDocument") is None, "it was not sent"
    expect(page.locator(f"form[action='{CONSOLE}answers/'] textarea")).to_have_value(SENTENCES)


def test_whoever_was_signed_out_meanwhile_keeps_the_page(enter: Enter) -> None:
    page = enter("grace", CONSOLE)
    form = write_common_answers(page)
    page.context.clear_cookies()
    press(form)
    expect(page.locator("#session-said")).to_contain_text("You are signed out in this browser", timeout=SAID_WITHIN_MS)
    expect(form.get_by_label("Common answers")).to_have_value(SENTENCES)
    assert_same_document(page)
