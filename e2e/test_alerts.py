"""Alerts are seen and heard, do not take the keyboard, and close everywhere; answers reach whom they are for."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from e2e.harness.frames import FrameTap
from e2e.harness.jury import read_everything
from e2e.harness.pages import PROBLEM, Person, open_live, post_notice
from tools.site_process import SiteProcess


def test_an_alert_does_not_take_the_keyboard_from_somebody_who_types(person: Person) -> None:
    alice, grace = person("alice"), person("grace")
    open_live(alice, "/contests/demo/problems/B/")
    expect(alice.locator("#editor")).to_be_visible()
    alice.locator(".cm-content").click()
    alice.keyboard.insert_text("before ")
    notice = post_notice(grace, "Air raid drill at noon", requires_ack=True)
    expect(alice.locator(f"#alerts [data-notice-id='{notice}']")).to_be_visible()
    alice.keyboard.insert_text("after")
    expect(alice.locator(".cm-content")).to_contain_text("before after")
    expect(alice.locator("#notice-said-now")).to_contain_text("Air raid drill at noon")
    expect(alice).to_have_title(re.compile(r"^\("))  # the tab's title counts it
    alice.locator(f"#alerts [data-notice-id='{notice}'] button").click()
    expect(alice.locator(f"#alerts [data-notice-id='{notice}']")).to_have_count(0)


def test_a_confirmation_closes_the_alert_on_every_page_of_the_same_person_and_of_nobody_else(
    person: Person,
) -> None:
    alice, bob, grace = person("alice"), person("bob"), person("grace")
    open_live(alice, "/contests/demo/")
    other = open_live(alice.context.new_page(), "/contests/demo/standings/")
    open_live(bob, "/contests/demo/")
    notice = post_notice(grace, "Bring your badge", requires_ack=True)
    alert = f"#alerts [data-notice-id='{notice}']"
    for page in (alice, other, bob):
        expect(page.locator(alert)).to_be_visible()
    alice.locator(f"{alert} button").click()
    expect(alice.locator(alert)).to_have_count(0)
    expect(other.locator(alert)).to_have_count(0)
    expect(bob.locator(alert)).to_be_visible()
    bob.locator(f"{alert} button").click()
    expect(bob.locator(alert)).to_have_count(0)


def test_an_edited_notice_alerts_again(person: Person) -> None:
    alice, grace = person("alice"), person("grace")
    open_live(alice, "/contests/demo/")
    notice = post_notice(grace, "Lunch at twelve", requires_ack=False)
    alert = alice.locator(f"#alerts [data-notice-id='{notice}']")
    alert.locator("button").click()
    expect(alert).to_have_count(0)
    grace.get_by_role("link", name="Edit").click()
    grace.locator("[name=title]").fill("Lunch at one")
    grace.get_by_role("button", name="Save as a new version").click()
    expect(alert).to_have_attribute("data-version", "2")
    expect(alert).to_contain_text("Lunch at one")
    expect(alert).to_contain_text("changed")


def test_on_a_desk_three_notices_stand_open_and_four_fold_beside_an_open_panel_too(
    person: Person, site: SiteProcess
) -> None:
    bob, grace = person("bob"), person("grace")
    read_everything(site.url, "bob")
    open_live(bob, PROBLEM)
    alerts, more = bob.locator("#alerts .alert:visible"), bob.locator(".stack-more")
    for count, title in enumerate(["The lamps", "The cables", "The chairs", "The doors"], start=1):
        newest = post_notice(grace, title, requires_ack=False)
        expect(bob.locator("#alerts .alert")).to_have_count(count)
        expect(alerts).to_have_count(1 if count == 4 else count)
    expect(alerts).to_have_attribute("data-notice-id", str(newest))
    bob.locator(".badge > summary").click()
    expect(alerts).to_have_count(1)
    expect(more).to_have_text("3 more notices")
    more.click()
    expect(alerts).to_have_count(4)
    expect(bob.locator(".badge")).to_have_attribute("open", "")
    more.click()
    alerts.get_by_role("button", name="Mark as read").click()
    expect(alerts).to_have_count(3)
    expect(more).to_be_hidden()


def test_a_withdrawn_notice_disappears_and_every_page_says_so(person: Person) -> None:
    alice, grace = person("alice"), person("grace")
    open_live(alice, "/contests/demo/")
    notice = post_notice(grace, "Supper at six", requires_ack=False)
    alert = alice.locator(f"#alerts [data-notice-id='{notice}']")
    expect(alert).to_be_visible()
    elsewhere = open_live(alice.context.new_page(), "/contests/demo/standings/")
    grace.get_by_role("link", name="Withdraw").click()
    expect(grace.get_by_role("heading", name="Supper at six")).to_be_visible()
    expect(alert).to_be_visible()
    grace.get_by_role("button", name="Withdraw it").click()
    expect(alert).to_have_count(0)
    expect(alice.locator(f"[data-notice-id='{notice}']")).to_have_count(0)
    for page in (alice, elsewhere):
        expect(page.locator("#notes")).to_contain_text("Withdrawn by the jury: Supper at six")
        expect(page.locator("#notice-said")).to_contain_text("Withdrawn by the jury: Supper at six")
    expect(alice.locator(".withdrawn")).to_contain_text("Supper at six")
    alice.reload()
    expect(alice.locator("body")).to_have_attribute("data-connection", "live")
    expect(alice.locator(".withdrawn")).to_have_count(0)


def test_the_asker_is_told_of_the_answer_on_every_page_and_on_the_next_one_and_under_the_form(
    person: Person, site: SiteProcess
) -> None:
    carol, grace = person("carol"), person("grace")
    read_everything(site.url, "carol")
    for title in ("Three", "to read", "besides"):
        post_notice(grace, title, requires_ack=False)
    problem = open_live(carol, "/contests/demo/problems/A/")
    board = open_live(carol.context.new_page(), "/contests/demo/standings/")
    problem.locator(".ask summary").click()
    problem.locator("#ask-text").fill("May the sum be negative?")
    problem.get_by_role("button", name="Send to the jury").click()
    expect(problem.locator("#ask-progress")).to_contain_text("with the jury")
    away = problem.context.new_page()
    away.goto("/accounts/profile/")
    open_live(grace, "/staff/contests/demo/")
    question = grace.locator("article.clarification", has_text="May the sum be negative?")
    question.locator("textarea").fill("It **may**.")
    question.get_by_role("button", name="Answer").click()
    for page in (problem, board):
        expect(page.locator("#notes")).to_contain_text("The jury has answered your question")
        expect(page.locator("#notice-said")).to_contain_text("answered your question")
    expect(problem.locator("#ask-progress")).to_have_text("The jury has answered:")
    expect(problem.locator("#ask-answer")).to_have_text("It may.")
    expect(problem.locator("#ask-answer strong")).to_have_text("may")
    open_live(away, "/contests/demo/problems/B/")
    expect(away.locator("#notes")).to_contain_text("The jury has answered your question")
    away.locator("#notes a").click()
    expect(away.locator(".clarification-answer", has_text="It may.")).to_be_visible()
    open_live(away, "/contests/demo/problems/B/")
    expect(away.locator("#notes .note")).to_have_count(0)


def test_a_private_answer_reaches_the_asker_live_and_nobody_else(person: Person) -> None:
    alice, bob, grace = person("alice"), person("bob"), person("grace")
    open_live(grace, "/staff/contests/demo/")
    tap = FrameTap(bob)
    open_live(alice, "/contests/demo/")
    open_live(bob, "/contests/demo/")
    alice.locator(".ask summary").click()
    alice.locator("#ask-text").fill("Is the harbour deep?")
    alice.get_by_role("button", name="Send to the jury").click()
    expect(alice.locator(".clarification").first).to_contain_text("Is the harbour deep?")
    expect(grace.locator("#new-questions")).to_contain_text("alice")
    question = grace.locator("article.clarification", has_text="Is the harbour deep?")
    question.locator("textarea").fill("Deep enough.")
    question.get_by_role("button", name="Answer").click()
    expect(alice.locator(".clarification-answer").first).to_have_text("Deep enough.")
    assert any(frame.get("type") == "synced" for frame in tap.received), "the tap saw nothing at all"
    assert "harbour deep" not in str(tap.received)
    assert "Deep enough" not in str(tap.received)


def test_the_keyboard_skips_to_the_notices_and_from_there_to_their_buttons_and_back(person: Person) -> None:
    alice, grace = person("alice"), person("grace")
    open_live(alice, "/contests/demo/problems/B/")
    skip = alice.get_by_role("link", name="Skip to the notices")
    if alice.locator("#alerts .alert").count() == 0:
        expect(skip).to_be_hidden()
    notice = post_notice(grace, "Use the other door", requires_ack=True)
    expect(alice.locator(f"#alerts [data-notice-id='{notice}']")).to_be_visible()
    assert alice.evaluate("document.activeElement === document.body"), "the alert has taken the focus"
    alice.keyboard.press("Tab")
    expect(alice.get_by_role("link", name="Skip to the content")).to_be_focused()
    alice.keyboard.press("Tab")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    alice.keyboard.press("Enter")
    expect(alice.locator("#over-page")).to_be_focused()
    alice.keyboard.press("Tab")
    expect(alice.locator("#over-page button:focus")).to_have_count(1)
    alice.keyboard.press("Enter")
    expect(alice.locator("#alerts button:focus, #main:focus")).to_have_count(1)
