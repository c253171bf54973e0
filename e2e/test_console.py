"""The jury's pages follow without taking away what somebody is writing on them."""

from __future__ import annotations

from playwright.sync_api import expect

from e2e.harness.pages import Person, open_live
from tools.site_process import SiteProcess

HELD = """
from django.utils import timezone
from datetime import timedelta
from contest.models import Problem, Record
problem, now = Problem.objects.get(contest__slug="demo", label="A"), timezone.now()
Record.objects.create(contest=problem.contest, problem=problem, purpose="package", package=problem.package,
    language="python", source="", source_sha256="0" * 64, file_name="sum.py", expected_verdicts=["AC"],
    submitted_at=now, queued_at=now, status="running", worker="held", lease_expires_at=now + timedelta(days=1))
"""
JUDGED = """
from contest.models import Record
assert Record.objects.filter(worker="held").update(status="final", verdict="AC", lease_expires_at=None) == 1
"""


def test_a_new_question_appears_in_its_place_and_a_half_written_notice_and_answer_stay(person: Person) -> None:
    bob, grace = person("bob"), person("grace")
    open_live(bob, "/contests/demo/")
    open_live(grace, "/staff/contests/demo/")
    for text in ("Is the tide high?", "Is the tide low?"):
        grace.locator("#notice-form [name=title]").fill("Half a title")
        if bob.locator(".ask:not([open])").count():
            bob.locator(".ask summary").click()
        bob.locator("#ask-text").fill(text)
        bob.get_by_role("button", name="Send to the jury").click()
        question = grace.locator("article.clarification", has_text=text)
        expect(question).to_be_visible(timeout=5_000)
        question.locator("textarea").fill("half an answer")
    expect(grace.locator("#new-questions")).to_contain_text("2 new questions")
    expect(grace.locator("#notice-form [name=title]")).to_have_value("Half a title")
    for text in ("Is the tide high?", "Is the tide low?"):
        question = grace.locator("article.clarification", has_text=text)
        expect(question.locator("textarea")).to_have_value("half an answer")
    question.get_by_role("button", name="Answer").click()
    expect(grace.locator("article.clarification[data-answered]", has_text="Is the tide low?")).to_be_visible()


def test_of_two_jurors_at_one_question_the_second_reads_what_the_first_has_answered_before_it_is_replaced(
    person: Person,
) -> None:
    carol, admin, grace = person("carol"), person("admin"), person("grace")
    open_live(carol, "/contests/demo/")
    carol.locator(".ask summary").click()
    carol.locator("#ask-text").fill("Is the buoy red?")
    carol.get_by_role("button", name="Send to the jury").click()
    expect(carol.locator("#ask-progress")).to_contain_text("with the jury")
    rows = [
        open_live(juror, "/staff/contests/demo/").locator("article.clarification", has_text="Is the buoy red?")
        for juror in (admin, grace)
    ]
    rows[0].locator("textarea").fill("It is green.")
    rows[1].locator("textarea").fill("Red & <b>.")
    rows[1].get_by_role("button", name="Answer").click()
    told = rows[0].locator(".meanwhile")
    expect(told).to_contain_text("has answered this question meanwhile, to the asker:")
    expect(told).to_contain_text("Red & <b>.")
    expect(rows[0].locator("p").first).to_contain_text("answered to the asker by")
    expect(rows[0].locator("textarea")).to_have_value("It is green.")
    answers = carol.locator(".clarification", has_text="Is the buoy red?").locator(".clarification-answer")
    rows[0].get_by_role("button", name="Answer").click()
    expect(rows[0].get_by_role("alert")).to_contain_text("Send yours again to replace that answer.")
    expect(rows[0].locator("textarea")).to_have_value("It is green.")
    expect(answers).to_have_text("Red & <b>.")
    rows[0].get_by_role("button", name="Change the answer").click()
    expect(answers).to_have_text("It is green.")


def test_the_report_of_an_import_follows_until_all_samples_are_judged(person: Person, site: SiteProcess) -> None:
    grace = person("grace")
    site.manage("shell", "-c", HELD)
    open_live(grace, "/staff/contests/demo/problems/A/")
    expect(grace.locator("#samples-section")).to_contain_text("The judge is at work")
    site.manage("shell", "-c", JUDGED)
    expect(grace.locator("#samples-section")).to_contain_text("Every one got the verdict", timeout=20_000)
    expect(grace.locator("#samples-section [data-judging]")).to_have_count(0)
