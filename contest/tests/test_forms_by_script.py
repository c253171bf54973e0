"""Forms that a page sends by itself: answered in JSON, done once, and never in somebody else's name."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from contest.models import Clarification, Contest, Notice, Record, User
from contest.tests.people import entered

pytestmark = pytest.mark.django_db
SUBMIT = "/contests/cup/problems/A/submit/"
NOTICES = "/staff/contests/cup/notices/"
JSON = {"Accept": "application/json"}
SOLUTION = {"language": "python", "source": "print(3)", "form_key": "a-form"}


def send(browser: Client, path: str, fields: dict[str, str]) -> tuple[int, dict[str, Any]]:
    answer = browser.post(path, fields, headers=JSON)
    assert isinstance(answer, HttpResponse)
    return answer.status_code, answer.json()


def end(contest: Contest) -> None:
    contest.ends_at = timezone.now() - timedelta(seconds=1)
    contest.save()


def test_a_solution_is_answered_with_where_its_record_is_and_its_repeat_with_the_same(
    contest: Contest, alice: User
) -> None:
    browser = entered(alice)
    status, said = send(browser, SUBMIT, SOLUTION)
    assert (status, said) == (201, {"location": f"/records/{Record.objects.get().pk}/"})
    end(contest)
    assert send(browser, SUBMIT, SOLUTION) == (201, said), "what arrived in time counts, however late its answer"
    assert Record.objects.count() == 1


def test_what_is_refused_is_said_in_the_words_of_the_page(contest: Contest, alice: User) -> None:
    status, said = send(entered(alice), SUBMIT, SOLUTION | {"language": ""})
    error = {"code": "bad-request", "message": "Choose a language.", "fields": {"language": ["Choose a language."]}}
    assert (status, said) == (400, {"error": error})
    end(contest)
    status, said = send(entered(alice), SUBMIT, SOLUTION)
    assert (status, said["error"]["code"]) == (403, "forbidden")
    assert "over" in said["error"]["message"]
    assert not Record.objects.exists()


def test_a_notice_that_is_sent_twice_is_posted_once_and_a_wrong_one_not_at_all(contest: Contest, grace: User) -> None:
    notice = {"title": "Water", "body": "In the hall.", "form_key": "a-form"}
    first, again = (send(entered(grace), NOTICES, notice) for _ in range(2))
    assert first == again == (201, {"location": f"{NOTICES}{Notice.objects.get().pk}/"})
    status, said = send(entered(grace), NOTICES, notice | {"title": ""})
    assert (status, list(said["error"]["fields"])) == (400, ["title"])
    assert Notice.objects.count() == 1


def test_who_is_signed_out_is_told_so_and_led_nowhere(contest: Contest, alice: User) -> None:
    status, said = send(entered(None), SUBMIT, SOLUTION)
    assert (status, said["error"]["code"]) == (401, "signed-out")
    strict = entered(alice, enforce_csrf_checks=True)
    status, said = send(strict, SUBMIT, SOLUTION)
    assert (status, said["error"]["code"]) == (403, "out-of-date")


@pytest.mark.parametrize(
    ("path", "fields"),
    [(SUBMIT, SOLUTION), ("/contests/cup/clarifications/", {"text": "May I?"}), (NOTICES, {"title": "A", "body": "B"})],
)
def test_the_form_of_alices_page_does_nothing_in_the_name_of_bob(
    contest: Contest, alice: User, bob: User, path: str, fields: dict[str, str]
) -> None:
    browser = entered(bob)
    hers = fields | {"written_by": str(alice.pk)}
    status, said = send(browser, path, hers)
    assert (status, said["error"]["code"]) == (409, "other-user")
    assert bob.shown_name in said["error"]["message"]
    page = browser.post(path, hers)
    assert (page.status_code, "Somebody else is signed in now" in page.content.decode()) == (409, True)
    assert not Record.objects.exists()
    assert not Clarification.objects.exists()


def test_ones_own_form_says_whose_it_is(contest: Contest, alice: User) -> None:
    browser = entered(alice)
    field = f'name="written_by" value="{alice.pk}"'
    assert browser.get("/contests/cup/problems/A/").content.decode().count(field) == 3, "solution, question, alert"
    assert send(browser, SUBMIT, SOLUTION | {"written_by": str(alice.pk)})[0] == 201


def test_a_page_can_ask_whom_its_browser_is_signed_in_as(alice: User) -> None:
    told = entered(alice).get("/accounts/session/")
    assert told.json()["user"] == {"id": alice.pk, "name": alice.shown_name}
    assert told["Cache-Control"] == "no-store"
    assert entered(None).get("/accounts/session/").json()["user"] is None


def test_the_token_that_comes_with_it_lets_a_form_pass(contest: Contest, alice: User) -> None:
    strict = entered(alice, enforce_csrf_checks=True)
    token = strict.get("/accounts/session/").json()["csrf"]
    assert send(strict, SUBMIT, SOLUTION | {"csrfmiddlewaretoken": token})[0] == 201
