"""The workbench of a problem: editor under the page's policy, drafts, and a self-test that streams."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from e2e.harness.pages import JUDGED_WITHIN_MS, Person

PROBLEM = "/contests/demo/problems/A/"
COUNT_SLOWLY = """import time
for number in range(200):
    print("line", number, flush=True)
    time.sleep(0.1)
"""
KEEP_OUTPUT = """() => {
    const output = document.querySelector("#selftest-output");
    window.shown = [];
    new MutationObserver(() => window.shown.push(output.textContent)).observe(output, { childList: true });
}"""
LISTEN_FOR_VIOLATIONS = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) => window.violations.push(event.violatedDirective));
"""


def open_problem(page: Page) -> Page:
    page.goto(PROBLEM)
    expect(page.locator("#editor")).to_be_visible()
    expect(page.locator("body")).to_have_attribute("data-connection", "live")
    return page


def write(page: Page, source: str) -> None:
    page.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.keyboard.insert_text(source)


def test_the_editor_works_without_a_single_breach_of_the_content_security_policy(person: Person) -> None:
    page = person("alice")
    page.add_init_script(LISTEN_FOR_VIOLATIONS)
    open_problem(page)
    page.locator("#id_language").select_option("cpp")
    write(page, "int main() { return 0; } // a comment")
    # The test sees violations at all: a style element is one.
    styled = "document.querySelector('#editor').shadowRoot.adoptedStyleSheets.length > 0"
    assert page.evaluate(styled), "the editor has no style sheets of its own"
    assert page.evaluate("window.violations") == []
    page.evaluate("document.head.append(Object.assign(document.createElement('style'), {textContent: 'p{}'}))")
    page.wait_for_function("window.violations.length > 0")


def test_a_draft_is_there_again_after_a_reload_and_its_language_too(person: Person) -> None:
    page = open_problem(person("alice"))
    page.locator("#id_language").select_option("python")
    write(page, "print('kept')")
    expect(page.locator("#draft-said")).to_have_text("Draft kept in this browser")
    open_problem(page)
    expect(page.locator(".cm-content")).to_contain_text("print('kept')")
    expect(page.locator("#id_language")).to_have_value("python")
    page.goto(PROBLEM.replace("/A/", "/B/"))
    expect(page.locator("#editor")).to_be_visible()
    expect(page.locator(".cm-content")).not_to_contain_text("kept")


def test_the_keyboard_stays_at_run_when_the_run_is_over(person: Person) -> None:
    page = open_problem(person("alice"))
    page.locator("#id_language").select_option("python")
    write(page, "print(input())")
    page.locator("#selftest-input").fill("7")
    run = page.locator("#selftest-run")
    run.focus()
    run.press("Enter")
    expect(run).to_be_disabled()
    expect(run).not_to_be_focused()
    expect(run).to_be_enabled(timeout=JUDGED_WITHIN_MS)
    expect(page.locator("#selftest-output")).to_have_text("7")
    expect(run).to_be_focused()


def test_without_the_bundle_the_plain_text_area_keeps_drafts_and_submits(person: Person) -> None:
    page = person("alice")
    asked: list[str] = []

    def refuse(route: Route) -> None:
        asked.append(route.request.url)
        route.abort()

    page.route("**/vendor/editor*.js", refuse)
    with page.expect_request("**/vendor/editor*.js"):
        page.goto(PROBLEM)
    area = page.locator("#id_source")
    area.fill("print(sum(map(int, input().split())))")
    assert asked, "the bundle was not asked for, so its absence was not tested"
    expect(page.locator("#editor")).to_be_hidden()
    expect(page.locator("#draft-said")).to_have_text("Draft kept in this browser")
    page.locator("#id_language").select_option("python")
    page.get_by_role("button", name="Submit").click()
    page.wait_for_url("**/records/*/")
    expect(page.locator("#source-text")).to_contain_text("print(sum(")


ALL_HAVE_IT = """async () => {
    await import(document.querySelector("#submit-form").dataset.editor);
    await new Promise(requestAnimationFrame);
}"""


@contextmanager
def editor_comes_late(page: Page) -> Iterator[Locator]:
    """The text area of a page that has everything but the editor, which comes at the end."""
    held: list[Route] = []
    page.route("**/vendor/editor*.js", lambda route: held.append(route))
    page.goto(PROBLEM)
    expect(page.locator("body")).to_have_attribute("data-connection", "live")
    area = page.locator("#id_source")
    expect(area).to_be_visible()
    yield area
    assert held, "the editor was not asked for"
    for route in held:
        route.continue_()
    page.unroute("**/vendor/editor*.js")
    page.evaluate(ALL_HAVE_IT)


def test_an_editor_that_comes_late_waits_until_the_field_is_left_and_goes_on_where_it_was(person: Person) -> None:
    page = person("alice")
    editor = page.locator("#editor")
    with editor_comes_late(page) as area:
        area.click()
        page.keyboard.type("int ")
    page.keyboard.type("main")
    expect(area).to_have_value("int main")
    expect(area).to_be_focused()
    expect(editor).to_be_hidden()
    page.keyboard.press("Tab")
    expect(page.locator(".cm-content")).to_have_text("int main")
    page.keyboard.press("Shift+Tab")
    page.keyboard.type("()")
    expect(page.locator(".cm-content")).to_have_text("int main()")
    page.wait_for_function("() => Object.values(localStorage).some((kept) => kept.includes('int main()'))")
    with editor_comes_late(page) as area:
        expect(area).to_have_value("int main()")
        area.focus()
        area.evaluate("(area) => area.setSelectionRange(4, 8)")
    expect(editor).to_be_visible()
    page.keyboard.type("other")
    expect(page.locator(".cm-content")).to_have_text("int other()")


def test_a_click_on_submit_is_one_while_the_editor_waits_for_the_field_to_be_left(person: Person) -> None:
    page = person("alice")
    with editor_comes_late(page) as area:
        page.locator("#id_language").select_option("python")
        area.click()
        page.keyboard.type("print(")
    page.keyboard.type("1)")
    expect(page.locator("#editor")).to_be_hidden()
    page.get_by_role("button", name="Submit").click()
    page.wait_for_url("**/records/*/")
    expect(page.locator("#source-text")).to_contain_text("print(1)")


@pytest.mark.both_shapes
def test_output_of_a_self_test_arrives_while_the_program_runs_and_stop_ends_it(person: Person) -> None:
    page = open_problem(person("alice"))
    page.locator("#id_language").select_option("python")
    write(page, COUNT_SLOWLY)
    page.locator("#selftest-run").click()
    output = page.locator("#selftest-output")
    expect(output).to_contain_text("line 3", timeout=JUDGED_WITHIN_MS)
    expect(page.locator("#selftest-state")).to_have_text("running")
    assert "line 199" not in output.inner_text(), "it had finished before it was looked at"
    page.locator("#selftest-stop").click()
    expect(page.locator("#selftest-run")).to_be_enabled()
    assert "line 199" not in output.inner_text()


PRINT_AND_WAIT = """#include <cstdio>
#include <unistd.h>
int main() { for (int n = 0; n < 24; n++) { std::printf("line %d\\n", n); usleep(300000); } }
"""


def test_lines_appear_one_by_one_and_none_is_lost_by_a_line_that_is_down_for_a_while(person: Person) -> None:
    page = open_problem(person("bob"))
    page.locator("#id_language").select_option("cpp")
    write(page, PRINT_AND_WAIT)
    page.evaluate(KEEP_OUTPUT)
    page.locator("#selftest-run").click()
    output, state = page.locator("#selftest-output"), page.locator("#selftest-state")
    expect(output).to_contain_text("line 0", timeout=JUDGED_WITHIN_MS)
    # What was there first: two lines later whoever looks from outside may not have looked yet.
    first = next(filter(None, page.evaluate("window.shown")))
    assert re.fullmatch(r"line 0\n(line 1\n)?", first), f"not line by line: {first}"
    expect(state).to_have_text("running")
    expect(page.locator("#selftest-memory")).to_have_text(re.compile(r"\d"))
    page.context.set_offline(True)
    known = output.inner_text()
    assert "line 23" not in known, "it was over before the line went down"
    expect(state).to_have_text("running (as last heard; the connection is in doubt)")
    page.wait_for_timeout(1_500)
    assert len(output.inner_text()) <= len(known) + len("line 0\n"), "the line is not down: five more were printed"
    page.context.set_offline(False)
    expect(state).to_have_text("finished", timeout=JUDGED_WITHIN_MS)
    assert output.inner_text().splitlines() == [f"line {number}" for number in range(24)]
    expect(page.locator("#selftest-time")).to_have_text(re.compile(r"^[\d.]+ (ms|s)$"))


SLEEPER = "import time\ntime.sleep(60)\n"


def test_a_silent_program_is_never_called_compiling_alone_and_when_stopped_it_is_stopped(person: Person) -> None:
    page = open_problem(person("alice"))
    page.locator("#id_language").select_option("python")
    write(page, "print('x' * 10)")
    page.locator("#selftest-run").click()
    state = page.locator("#selftest-state")
    expect(state).to_have_text("finished", timeout=JUDGED_WITHIN_MS)
    expect(page.locator("#selftest-memory")).not_to_have_text("–")
    write(page, SLEEPER)
    page.locator("#selftest-run").click()
    expect(page.locator("#selftest-time")).to_contain_text("so far", timeout=JUDGED_WITHIN_MS)
    expect(state).to_have_text("running")
    expect(page.locator("#selftest-memory")).to_have_text(re.compile(r"\d"))
    page.locator("#selftest-stop").click()
    expect(state).to_have_text("stopped")
    page.goto(PROBLEM.replace("/A/", "/B/"))
    expect(page.get_by_text("Your last run of problem A (python)")).to_be_visible()
    expect(page.locator("#selftest .help").first).to_contain_text("5.00 s of processor time")


def test_a_refused_submission_comes_back_with_what_was_typed(person: Person) -> None:
    page = open_problem(person("alice"))
    page.locator("#id_language").select_option("")
    write(page, "typed with care")
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("Choose a language.", exact=True)).to_be_visible()
    expect(page.locator(".cm-content")).to_contain_text("typed with care")
