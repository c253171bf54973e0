"""What is typed is there again: after a reload, a crash, in another language, and when two tabs write the same."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Page, expect

from e2e.conftest import SCREEN
from e2e.harness.browser import another_chromium
from e2e.harness.lifecycle import crash
from e2e.harness.pages import PROBLEM, Person, open_live
from e2e.harness.sessions import enter_as
from e2e.test_problem_page import open_problem, write
from tools.site_process import SiteProcess

KEPT = """(text) => Object.entries(localStorage).some(
    ([key, value]) => key.startsWith("fathom/") && value.includes(JSON.stringify(text)))"""
NO_STORAGE = """
for (const kind of ["localStorage", "sessionStorage"]) {
  Object.defineProperty(window, kind, { get() { throw new DOMException("switched off", "SecurityError"); } });
}
"""


def write_draft(page: Page, source: str) -> None:
    write(page, source)
    page.wait_for_function(KEPT, arg=source)


def test_a_crash_takes_nothing_of_what_was_typed(site: SiteProcess, browser: Browser) -> None:
    with another_chromium(browser) as mortal:
        context = mortal.new_context(viewport=SCREEN, base_url=site.url)
        page = open_problem(enter_as(context, "alice"))
        page.locator("#id_language").select_option("python")
        write_draft(page, "print('before the crash')")
        page.locator("details.ask summary").click()
        page.locator("#ask-text").fill("Half a quest")
        page.locator("#selftest-input").fill("7 8")
        for text in ("Half a quest", "7 8"):
            page.wait_for_function(KEPT, arg=text)
        with page.expect_event("crash"):
            crash(mortal)
        again = open_problem(context.new_page())
        expect(again.locator(".cm-content")).to_contain_text("print('before the crash')")
        expect(again.locator("#id_language")).to_have_value("python")
        expect(again.locator("#ask-text")).to_have_value("Half a quest")
        expect(again.locator("#selftest-input")).to_have_value("7 8")


def test_of_two_tabs_the_newest_text_wins_and_the_other_is_a_click_away(person: Person) -> None:
    one = open_problem(person("alice"))
    one.locator("#id_language").select_option("python")
    write_draft(one, "print('first')")
    two = open_problem(one.context.new_page())
    expect(two.locator(".cm-content")).to_contain_text("print('first')")
    write_draft(two, "print('second tab')")
    expect(one.locator("#draft-said")).to_have_text("Another tab of yours has another text for this problem.")
    one.bring_to_front()
    write_draft(one, "print('first tab, later')")
    other = one.get_by_role("button", name="Bring back the other text")
    expect(other).to_be_visible()
    one.reload()
    expect(one.locator(".cm-content")).to_contain_text("first tab, later")
    other.click()
    expect(one.locator(".cm-content")).to_contain_text("print('second tab')")
    other.click()
    expect(one.locator(".cm-content")).to_contain_text("first tab, later")


def test_three_tabs_that_were_closed_lose_nothing_and_the_button_shows_all_of_them(person: Person) -> None:
    first = open_problem(person("alice"))
    tabs = [first, *(open_problem(first.context.new_page()) for _ in range(2))]
    for number, tab in enumerate(tabs):
        tab.bring_to_front()
        write_draft(tab, f"line of tab {number}")
    last = open_problem(first.context.new_page())
    for tab in tabs:
        tab.close()
    expect(last.locator(".cm-content")).to_contain_text("line of tab 2")
    for number in (1, 0, 2):
        last.get_by_role("button", name="Bring back the other text (2)").click()
        expect(last.locator(".cm-content")).to_contain_text(f"line of tab {number}")


def test_each_language_keeps_its_text_and_choosing_another_loses_nothing(person: Person) -> None:
    page = open_problem(person("bob"))
    language, editor, other = (
        page.locator("#id_language"),
        page.locator(".cm-content"),
        page.get_by_role("button", name="Bring back the other text"),
    )
    language.select_option("cpp")
    write_draft(page, "int a() {}")
    language.select_option("python")
    expect(editor).to_contain_text("int a() {}")  # Python has no text: nothing is taken off the screen
    write_draft(page, "print('one')")
    language.select_option("cpp")
    expect(editor).to_contain_text("int a() {}")
    expect(page.locator("#draft-said")).to_have_text(
        re.compile(r"^Draft of .*:\d\d; what stood here is kept under its language$")
    )
    language.select_option("python")
    expect(editor).to_contain_text("print('one')")
    write_draft(page, "print('two')")
    language.select_option("cpp")
    expect(editor).to_contain_text("int a() {}")
    other.click()
    expect(editor).to_contain_text("print('two')")
    other.click()
    expect(editor).to_contain_text("int a() {}")


def test_a_file_that_is_chosen_files_no_text_under_its_language(person: Person) -> None:
    page = open_problem(person("bob"))
    page.locator("#id_language").select_option("cpp")
    write_draft(page, "int main() {}")
    page.locator("#id_language").select_option("python")
    write_draft(page, "print('typed')")
    page.locator("#id_source_file").set_input_files({"name": "main.cpp", "mimeType": "text/plain", "buffer": b"int x;"})
    expect(page.get_by_text("main.cpp will be submitted, not the text")).to_be_visible()
    expect(page.locator("#id_language")).to_have_value("cpp")
    expect(page.locator(".cm-content")).to_contain_text("int main() {}")
    page.locator("#id_language").select_option("python")
    expect(page.locator(".cm-content")).to_contain_text("print('typed')")


def test_a_draft_does_not_take_the_place_of_what_the_server_put_into_the_form(person: Person) -> None:
    page = open_problem(person("carol"))
    page.locator("#id_language").select_option("python")
    write_draft(page, "print('the draft')")
    with page.expect_navigation():
        page.evaluate(
            """() => {
                const form = document.querySelector("#submit-form");
                document.querySelector("#id_source").value = "sent without a script";
                document.querySelector("#id_language").value = "";
                HTMLFormElement.prototype.submit.call(form);
            }"""
        )
    expect(page.get_by_text("Choose a language.", exact=True)).to_be_visible()
    assert page.evaluate(KEPT, "print('the draft')"), "there is no draft to compete with"
    expect(page.locator(".cm-content")).to_contain_text("sent without a script")
    page.locator("#id_language").select_option("python")
    expect(page.locator(".cm-content")).to_contain_text("print('the draft')")
    page.get_by_role("button", name="Bring back the other text").click()
    expect(page.locator(".cm-content")).to_contain_text("sent without a script")


def test_where_nothing_can_be_kept_it_is_said_and_everything_else_works(person: Person) -> None:
    page = person("alice")
    page.add_init_script(NO_STORAGE)
    open_problem(page)
    page.locator("#id_language").select_option("python")
    write(page, "print(sum(map(int, input().split())))")
    expect(page.locator("#draft-said")).to_have_text(re.compile("This browser keeps no drafts"))
    page.get_by_role("button", name="Submit").click()
    page.wait_for_url("**/records/*/")


def test_the_input_of_a_self_test_is_kept_for_its_problem_alone(person: Person) -> None:
    page = open_live(person("bob"), PROBLEM)
    page.locator("#selftest-input").fill("40 2")
    open_live(page, PROBLEM.replace("/A/", "/B/"))
    expect(page.locator("#selftest-input")).not_to_have_value("40 2")
    open_live(page, PROBLEM)
    expect(page.locator("#selftest-input")).to_have_value("40 2")


def test_of_two_tabs_the_newest_input_of_a_self_test_wins_and_the_other_is_a_click_away(person: Person) -> None:
    one = open_live(person("carol"), PROBLEM)
    two = open_live(one.context.new_page(), PROBLEM)
    one.locator("#selftest-input").fill("1 1")
    said, other = (two.locator("#selftest").locator(part) for part in (".draft-said", ".draft-other"))
    expect(said).to_have_text("Another tab of yours has another input for this problem.")
    two.locator("#selftest-input").fill("2 2")
    two.wait_for_function(KEPT, arg="2 2")
    two.reload()
    expect(two.locator("#selftest-input")).to_have_value("2 2")
    other.click()
    expect(two.locator("#selftest-input")).to_have_value("1 1")
    other.click()
    expect(two.locator("#selftest-input")).to_have_value("2 2")


def test_unsent_questions_of_two_tabs_that_crashed_both_come_back(site: SiteProcess, browser: Browser) -> None:
    with another_chromium(browser) as mortal:
        context = mortal.new_context(viewport=SCREEN, base_url=site.url)
        first = open_live(enter_as(context, "bob"), PROBLEM)
        second = open_live(context.new_page(), PROBLEM)
        for page, text in ((first, "May N be 0?"), (second, "May lines be blank?")):
            page.locator("details.ask summary").click()
            page.locator("#ask-text").fill(text)
            page.wait_for_function(KEPT, arg=text)
        other = second.get_by_role("button", name="Bring back another unsent question")
        second.reload()
        expect(second.locator("body")).to_have_attribute("data-connection", "live")
        second.locator("details.ask summary").click()
        expect(second.locator("#ask-text")).to_have_value("May lines be blank?")
        expect(other).to_be_hidden()  # the other question is on the other tab's screen
        with first.expect_event("crash"), second.expect_event("crash"):
            crash(mortal)
        again = open_live(context.new_page(), PROBLEM)
        again.locator("details.ask summary").click()
        expect(again.locator("#ask-text")).to_have_value("May lines be blank?")
        for text in ("May N be 0?", "May lines be blank?"):
            again.get_by_role("button", name="Bring back another unsent question").click()
            expect(again.locator("#ask-text")).to_have_value(text)
            expect(again.locator("#ask-text")).to_be_focused()


def test_a_question_asked_in_one_tab_takes_away_no_draft_of_another(person: Person) -> None:
    one = open_live(person("alice"), PROBLEM)
    two = open_live(one.context.new_page(), PROBLEM)
    one.locator("details.ask summary").click()
    one.locator("#ask-text").fill("A long one, not sent")
    two.locator("details.ask summary").click()
    two.locator("#ask-text").fill("A short one")
    two.wait_for_function(KEPT, arg="A short one")
    two.get_by_role("button", name="Send to the jury").click()
    expect(two.locator("#ask-progress")).to_have_text("Your question is with the jury.")
    assert two.evaluate(KEPT, "A long one, not sent") and not two.evaluate(KEPT, "A short one")


def test_what_another_version_or_a_hand_has_left_in_the_browser_stops_no_page(person: Person) -> None:
    page = open_problem(person("bob"))
    place = page.locator("#ask-form").get_attribute("data-draft-key")
    bad = '{"toString":1,"valueOf":1}'
    left = {f"fathom/question/{place}/left": f'{{"text":"x","problem":{bad}}}', "fathom/language": bad}
    page.evaluate("(left) => Object.assign(localStorage, left)", left)
    again, thrown = page.context.new_page(), list[str]()
    again.on("pageerror", lambda error: thrown.append(str(error)))
    open_problem(again)
    again.locator("details.ask summary").click()
    expect(again.locator("#ask-text")).to_have_value("x")
    again.keyboard.press("Escape")
    again.locator("#id_language").select_option("python")
    write_draft(again, "print('whole')")
    assert thrown == []
