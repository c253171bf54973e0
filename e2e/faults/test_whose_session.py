"""The session of a browser ends, or becomes another person's, while a page is open: nothing typed is lost, and
nothing goes out in another's name."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from e2e.faults.conftest import Enter, hand_over
from e2e.harness.assertions import assert_live_within
from e2e.harness.carrying import Direction
from e2e.harness.fault_proxy import FaultProxy
from e2e.harness.jury import Jury, Visitor, read_everything
from e2e.harness.pages import OVERVIEW, PROBLEM
from e2e.harness.screens import DESK, PHONE, is_on_top
from e2e.harness.solving import asked, assert_same_document, open_problem, records, write, write_and_submit
from e2e.harness.windows import HAPPENS_WITHIN_S, SHORT
from tools.site_process import SiteProcess

TOLD_WITHIN_MS = HAPPENS_WITHIN_S * 1_000
SIGNED_OUT = "You are signed out in this browser. Nothing that you typed is lost"
QUESTION = "Is zero a number?"


@pytest.fixture
def alice(site: SiteProcess) -> Visitor:
    return Visitor(site.url, "alice")


@pytest.fixture
def bob(site: SiteProcess) -> Visitor:
    return Visitor(site.url, "bob")


def sign_out(page: Page) -> None:
    """In another tab of the same browser."""
    page.goto(OVERVIEW)
    page.locator("nav.account summary").click()
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url(lambda url: urlsplit(url).path == "/")


def open_own_problem(enter: Enter) -> Page:
    """In a session of its own: those that the other tests share must not end."""
    page = enter("alice", "/accounts/login/")
    page.context.clear_cookies()
    page.goto(f"/accounts/login/?next={PROBLEM}")
    sign_in(page, "alice")
    assert_live_within(page, 5)
    page.evaluate("window.sameDocument = true")
    return page


def sign_in(page: Page, username: str) -> None:
    page.get_by_label("User name").fill(username)
    page.get_by_label("Password", exact=True).fill(f"demo-{username}")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(lambda url: "/accounts/login" not in url)


def test_after_signing_in_again_in_another_tab_the_page_goes_on_with_everything_that_was_typed(
    enter: Enter, proxy: FaultProxy, alice: Visitor
) -> None:
    page = open_own_problem(enter)
    before = records(alice)
    write(page, "print('through it all')")
    page.locator("details.ask summary").click()
    page.locator("#ask-text").fill(QUESTION)
    page.locator("#selftest-input").fill("1 2 3")
    other = enter("alice")
    sign_out(other)
    page.bring_to_front()
    banner = page.locator("#session-said")
    expect(banner).to_contain_text(SIGNED_OUT, timeout=TOLD_WITHIN_MS)
    expect(page.locator("body")).to_have_attribute("data-connection", "ended")
    page.get_by_role("button", name="Send to the jury").click()
    expect(page.locator("#ask-error")).to_contain_text("Not sent: you are signed out.")
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("#submit-form .outbox")).to_contain_text("is not sent yet: you are signed out")
    assert_same_document(page)
    with page.context.expect_page() as opened:
        banner.get_by_role("link", name="Sign in again").click()
    sign_in(opened.value, "alice")
    opened.value.close()
    page.bring_to_front()
    assert_live_within(page, 5)
    expect(banner).to_be_hidden()
    expect(page.locator("#ask-error")).to_be_hidden()
    expect(page.locator("#submit-form .outbox")).to_contain_text("Your solution is sent.", timeout=TOLD_WITHIN_MS)
    assert len(records(alice) - before) == 1
    expect(page.locator("#ask-text")).to_have_value(QUESTION)
    expect(page.locator("#selftest-input")).to_have_value("1 2 3")
    page.get_by_role("button", name="Send to the jury").click()
    expect(page.locator("#ask-progress")).to_have_text("Your question is with the jury.")
    page.locator("details.ask summary").click()
    write(page, "print('and by the old form')")
    page.get_by_role("button", name="Submit").click()
    page.wait_for_url("**/records/*/")


@pytest.mark.parametrize("screen", [DESK, PHONE], ids=["desk", "phone"])
def test_sign_in_again_is_in_view_wherever_the_page_stands_and_under_no_alert(
    enter: Enter, site: SiteProcess, jury: Jury, screen: ViewportSize
) -> None:
    read_everything(site.url, "alice")
    page = open_own_problem(enter)
    page.set_viewport_size(screen)
    for title in ("The cables", "The lunch", "The bus"):
        notice = jury.post_notice(title)
        expect(page.locator(f"#alerts [data-notice-id='{notice}']")).to_have_count(1)
    sign_out(enter("alice"))
    page.bring_to_front()
    link = page.locator("#session-sign-in")
    expect(link).to_be_visible(timeout=TOLD_WITHIN_MS)
    assert is_on_top(link), "an alert covers it"
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    assert page.evaluate("scrollY") > 100, "the page has not moved"
    assert is_on_top(page.locator("#alerts button:visible").first), "no alert stands over the page"
    assert is_on_top(link), "it has gone out of view, or an alert covers it"
    page.locator("details.ask summary").click()
    assert is_on_top(link), "the panel covers it"
    page.locator("details.ask summary").click()
    page.locator(".badge > summary").click()
    assert is_on_top(page.locator(".sign-in-again")), "the banner covers the badge's panel"
    read_everything(site.url, "alice")


def test_a_page_whose_browser_is_anothers_now_stops_and_sends_nothing_in_his_name(
    enter: Enter, alice: Visitor, bob: Visitor
) -> None:
    page = open_own_problem(enter)
    hers, his = records(alice), records(bob)
    write(page, "print('by alice')")
    expect(page.locator("#draft-said")).to_have_text("Draft kept in this browser")
    other = enter("alice")
    sign_out(other)
    other.goto("/accounts/login/")
    sign_in(other, "bob")
    page.bring_to_front()
    banner = page.locator("#session-said")
    expect(banner).to_contain_text("You are now signed in as bob", timeout=TOLD_WITHIN_MS)
    expect(page.locator("body")).to_have_attribute("data-connection", "ended")
    page.evaluate("document.querySelector('#submit-form').requestSubmit()")
    page.evaluate("document.querySelector('#ask-text').value = 'as whom?'")
    page.evaluate("document.querySelector('#ask-form').requestSubmit()")
    assert_same_document(page)
    assert (records(alice), records(bob)) == (hers, his)
    assert "as whom?" not in asked(bob)
    banner.get_by_role("button", name="Reload this page").click()
    assert_live_within(page, 5)
    expect(page.locator("nav.account .who")).to_have_text("bob")
    expect(page.locator(".cm-content")).not_to_contain_text("by alice")


def test_a_page_that_was_stopped_says_when_its_own_person_is_back_and_goes_on_after_a_reload(
    enter: Enter, alice: Visitor, bob: Visitor
) -> None:
    page = open_problem(enter)
    write(page, "print('before bob')")
    expect(page.locator("#draft-said")).to_have_text("Draft kept in this browser")
    banner, other = page.locator("#session-said"), enter("alice")
    hand_over(bob, page.context)
    other.goto("/accounts/profile/")
    expect(banner).to_contain_text("You are now signed in as bob", timeout=TOLD_WITHIN_MS)
    hand_over(alice, page.context)
    other.goto("/accounts/profile/")
    expect(banner).to_contain_text("You are signed in as alice again.", timeout=TOLD_WITHIN_MS)
    expect(banner).not_to_contain_text("bob")
    expect(page.locator("body")).to_have_attribute("data-connection", "ended")
    assert_same_document(page)
    banner.get_by_role("button", name="Reload this page").click()
    assert_live_within(page, 5)
    expect(banner).to_be_hidden()
    expect(page.locator(".cm-content")).to_contain_text("before bob")


def test_what_waited_while_the_path_was_dead_is_not_sent_as_whoever_signed_in_meanwhile(
    enter: Enter, proxy: FaultProxy, alice: Visitor, bob: Visitor
) -> None:
    page = open_problem(enter)
    hers, his = records(alice), records(bob)
    proxy.black_hole(Direction.UP)
    write_and_submit(page, "print('by alice, too')")
    expect(page.locator("#submit-form .outbox")).to_contain_text("is not confirmed", timeout=TOLD_WITHIN_MS)
    page.locator("details.ask summary").click()
    page.locator("#ask-text").fill("whose question?")
    page.get_by_role("button", name="Send to the jury").click()
    assert proxy.swallowed > 0
    hand_over(bob, page.context)
    proxy.heal()
    expect(page.locator("#session-said")).to_contain_text(
        "You are now signed in as bob", timeout=1_000 * (SHORT.back_within_s + HAPPENS_WITHIN_S)
    )
    assert (records(alice), records(bob)) == (hers, his)
    assert "whose question?" not in [*asked(bob), *asked(alice)]
    expect(page.locator("#ask-text")).to_have_value("whose question?")
    assert_same_document(page)
    hand_over(alice, page.context)
    page.goto(PROBLEM)
    outbox = page.locator("#submit-form .outbox")
    expect(outbox).to_contain_text("was sent without an answer")
    outbox.get_by_role("button", name="Send it").click()
    expect(outbox).to_contain_text("Your solution is sent.", timeout=TOLD_WITHIN_MS)
    assert len(records(alice) - hers) == 1
