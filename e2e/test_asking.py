"""Questions from any page and their answers, live in both directions."""

from __future__ import annotations

from playwright.sync_api import Browser, Page, expect

from e2e.harness.pages import Person, open_live
from e2e.harness.sessions import enter_as
from e2e.harness.windows import SLACK_S
from tools.site_process import SiteProcess

WITHIN_MS = 1_000 * (2 + SLACK_S)


def ask(page: Page, text: str) -> None:
    if page.locator("details.ask:not([open])").count():
        page.locator("details.ask summary").click()
    page.locator("#ask-text").fill(text)
    page.get_by_role("button", name="Send to the jury").click()


def test_a_question_from_the_standings_reaches_the_jury_and_the_answer_comes_back_to_that_page(person: Person) -> None:
    bob, grace = person("bob"), person("grace")
    open_live(bob, "/contests/demo/standings/")
    open_live(grace, "/contests/demo/standings/")
    elsewhere = open_live(grace.context.new_page(), "/staff/contests/demo/")
    # Questions of other tests may be waiting for an answer, too.
    waiting = int(elsewhere.locator("#open-questions").inner_text() or 0)
    ask(bob, "May a sum be negative?")
    expect(bob.locator("#ask-progress")).to_have_text("Your question is with the jury.")
    expect(grace.locator("#open-questions")).to_have_text(str(waiting + 1), timeout=WITHIN_MS)
    expect(grace.locator("#notice-said")).to_contain_text("A new question by")
    question = elsewhere.locator("article.clarification", has_text="May a sum be negative?")
    question.locator("select.template").select_option("Yes.")
    expect(question.locator("textarea")).to_have_value("Yes.")
    question.locator("select.template").select_option("Read the problem statement.")
    expect(question.locator("textarea")).to_have_value("Read the problem statement.")
    question.get_by_role("button", name="Answer").click()
    expect(bob.locator("#notes")).to_contain_text("The jury has answered your question", timeout=WITHIN_MS)
    expect(bob.locator("#notes")).to_contain_text("Read the problem statement.")
    count = grace.locator("#open-questions")
    if waiting == 0:
        expect(count).to_be_hidden(timeout=WITHIN_MS)
    else:
        expect(count).to_have_text(str(waiting), timeout=WITHIN_MS)


def test_what_is_typed_is_kept_from_page_to_page_until_it_is_sent(person: Person) -> None:
    carol = person("carol")
    open_live(carol, "/contests/demo/problems/B/")
    carol.locator("details.ask summary").click()
    expect(carol.locator("#ask-problem")).to_have_value("B")
    carol.locator("#ask-text").fill("half a quest")
    carol.keyboard.press("Escape")
    expect(carol.locator("details.ask")).not_to_have_attribute("open", "")
    expect(carol.locator("details.ask summary")).to_be_focused()
    open_live(carol, "/contests/demo/records/")
    expect(carol.locator(".ask-draft")).to_be_visible()
    carol.locator("details.ask summary").click()
    expect(carol.locator("#ask-text")).to_have_value("half a quest")
    expect(carol.locator("#ask-problem")).to_have_value("B")
    ask(carol, "half a question")
    expect(carol.locator("#ask-progress")).to_have_text("Your question is with the jury.")
    expect(carol.locator("#ask-text")).to_have_value("")
    open_live(carol, "/contests/demo/")
    expect(carol.locator(".ask-draft")).to_be_hidden()


def test_asking_and_answering_work_without_a_script(site: SiteProcess, browser: Browser) -> None:
    pages = {}
    for name in ("bob", "grace"):
        context = browser.new_context(base_url=site.url, java_script_enabled=False)
        pages[name] = enter_as(context, name)
    bob, grace = pages["bob"], pages["grace"]
    bob.goto("/contests/demo/standings/")
    bob.locator("details.ask summary").click()
    bob.locator("#ask-text").fill("Without a script?")
    with bob.expect_navigation(url="**/standings/"):
        bob.get_by_role("button", name="Send to the jury").click()
    grace.goto("/staff/contests/demo/")
    question = grace.locator("article.clarification", has_text="Without a script?")
    question.locator("select.template").select_option("No comment.")
    with grace.expect_navigation():
        question.get_by_role("button", name="Put in").click()
    question = grace.locator("article.clarification", has_text="Without a script?")
    expect(question.locator("textarea")).to_have_value("No comment.")
    with grace.expect_navigation():
        question.get_by_role("button", name="Answer").click()
    bob.goto("/contests/demo/")
    answered = bob.locator("#clarification-list .clarification", has_text="Without a script?")
    expect(answered).to_contain_text("No comment.")
    for page in pages.values():
        page.context.close()
