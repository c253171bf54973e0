"""Two jurors answer the same question: neither answer goes without its author's knowing."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from contest.models import Clarification, Contest, User
from contest.services.clarifications import answer_clarification, ask_clarification
from contest.tests.people import entered

pytestmark = pytest.mark.django_db
CONSOLE = "/staff/contests/cup/"


@pytest.fixture
def question(contest: Contest, alice: User) -> Clarification:
    return ask_clarification(contest, alice, problem_label=None, text="May n be 0?", command_key=None)


@pytest.fixture
def admin() -> Client:
    return entered(User.objects.create_superuser("root"))


def shown_version(html: str) -> str:
    """What the form of the one question says that it was made against."""
    version: str
    (version,) = re.findall(r'/answer/">.*?name="version" value="(\d+)"', html, flags=re.DOTALL)
    return version


def visible(html: str) -> str:
    """Without what waits in templates."""
    return re.sub(r"<template.*?</template>", "", html, flags=re.DOTALL)


def test_the_second_answer_comes_back_beside_the_first_and_replaces_it_when_it_is_sent_again(
    question: Clarification, grace: User, admin: Client
) -> None:
    path = f"{CONSOLE}clarifications/{question.pk}/answer/"
    before = shown_version(admin.get(CONSOLE).content.decode())
    answer_clarification(question, grace, answer="Yes <b>.", is_public=False)
    refused = admin.post(path, {"answer": "No.", "version": before})
    html = visible(refused.content.decode())
    assert refused.status_code == 400
    assert "grace has answered this question meanwhile, as you see below. Send yours again to replace" in html
    assert "Yes &lt;b&gt;.</p>" in html
    assert re.search(r"<textarea[^>]*>\s*No\.</textarea>", html), "what was typed is gone"
    question.refresh_from_db()
    assert question.answer == "Yes <b>."
    assert admin.post(path, {"answer": "No.", "version": shown_version(html)}).status_code == 303
    question.refresh_from_db()
    assert question.answer == "No."


@pytest.mark.parametrize("fields", [{"answer": " "}, {"answer": "No", "fill": "1", "template": "Yes."}])
def test_a_form_that_comes_back_for_another_reason_shows_what_was_answered_meanwhile(
    question: Clarification, grace: User, admin: Client, fields: dict[str, str]
) -> None:
    path = f"{CONSOLE}clarifications/{question.pk}/answer/"
    before = shown_version(admin.get(CONSOLE).content.decode())
    assert "meanwhile," not in visible(admin.post(path, {**fields, "version": before}).content.decode())
    answer_clarification(question, grace, answer="Certainly.", is_public=True)
    html = visible(admin.post(path, {**fields, "version": before}).content.decode())
    assert "grace has answered this question meanwhile, to everybody:" in html
    assert "Certainly.</p>" in html
    assert "Sent now, it replaces this answer." in html


def test_a_script_may_leave_the_version_out_and_one_that_is_none_is_refused_in_words(
    question: Clarification, grace: User, admin: Client
) -> None:
    path = f"{CONSOLE}clarifications/{question.pk}/answer/"
    answer_clarification(question, grace, answer="Yes.", is_public=False)
    refused = admin.post(path, {"answer": "No.", "version": "first"})
    assert (refused.status_code, "Enter a whole number." in refused.content.decode()) == (400, True)
    assert admin.post(path, {"answer": "No."}).status_code == 303
    question.refresh_from_db()
    assert question.answer == "No."
