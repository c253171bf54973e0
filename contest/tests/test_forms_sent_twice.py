"""A double click on what the jury does applies it once."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.db import connection
from django.utils import timezone

from contest.models import Contest, Participation, Record, Rejudging, User
from contest.models.queue import Status
from contest.services import rejudging
from contest.services.errors import Refused
from contest.services.records import submit
from contest.services.schedule import extend
from contest.tests.people import entered

pytestmark = pytest.mark.django_db
CONSOLE = "/staff/contests/cup/"
SCHEDULE = f"{CONSOLE}schedule/"


def form_key(user: User, page: str, action: str) -> str:
    """The hidden key of the form on `page` that is sent to `action`."""
    html = entered(user).get(page).content.decode()
    form = html[html.index(f'action="{action}"') :]
    found = re.search(r'name="form_key" value="([0-9a-f]{32})"', form[: form.index("</form>")])
    assert found, f"no key in the form for {action}"
    return found[1]


def send(user: User, page: str, action: str, **fields: str) -> None:
    """By a double click, and once more with what a reload of the page gives."""
    browser = entered(user)
    key = form_key(user, page, action)
    answers = [browser.post(action, {**fields, "form_key": key}) for _ in range(2)]
    assert [(answer.status_code, answer["Location"]) for answer in answers] == [(303, answers[0]["Location"])] * 2
    browser.post(action, {**fields, "form_key": form_key(user, page, action)})


def test_extending_twice_by_a_double_click_extends_once_and_a_new_form_extends_again(
    contest: Contest, grace: User
) -> None:
    send(grace, SCHEDULE, f"{SCHEDULE}extend/", minutes="15", reason="")
    assert Contest.objects.get().ends_at - contest.ends_at == timedelta(minutes=30), "one for each form"
    assert contest.audit.count() == 2


def test_moving_the_contest_by_a_double_click_moves_it_once(contest: Contest, grace: User) -> None:
    contest.starts_at = timezone.now() + timedelta(hours=1)
    contest.save()
    send(grace, SCHEDULE, f"{SCHEDULE}shift/", minutes="15", reason="")
    assert Contest.objects.get().starts_at - contest.starts_at == timedelta(minutes=30)


def test_extra_time_by_a_double_click_is_given_once(contest: Contest, grace: User, alice: User) -> None:
    page = f"{CONSOLE}people/{alice.pk}/"
    send(grace, page, f"{page}extra-time/", minutes="10", reason="power cut")
    assert Participation.objects.get(user=alice).extra_time_s == 1200


def test_another_number_in_the_same_form_is_another_action(contest: Contest, grace: User) -> None:
    key = form_key(grace, SCHEDULE, f"{SCHEDULE}extend/")
    for minutes in ("15", "5"):
        entered(grace).post(f"{SCHEDULE}extend/", {"minutes": minutes, "form_key": key})
    assert Contest.objects.get().ends_at - contest.ends_at == timedelta(minutes=20)


def test_a_rejudging_that_comes_again_after_it_is_over_begins_nothing(
    contest: Contest, grace: User, alice: User
) -> None:
    record = submit(contest.problems.get(), alice, language="c", source="x")
    action = f"{CONSOLE}rejudge/"
    for fields in ({"problem": "A"}, {"record": str(record.pk)}):
        Record.objects.update(status=Status.FINAL, verdict="WA")
        page = f"{action}?{'&'.join(f'{name}={value}' for name, value in fields.items())}"
        sent = {**fields, "reason": "", "form_key": form_key(grace, page, action)}
        assert entered(grace).post(action, sent).status_code == 303
        assert Record.objects.get().status == Status.QUEUED, "the premise"
        Record.objects.update(status=Status.FINAL, verdict="WA")
        assert entered(grace).post(action, sent).status_code == 303
        assert Record.objects.get().status == Status.FINAL
    assert (contest.audit.count(), Rejudging.objects.count()) == (2, 2)


@pytest.mark.django_db(transaction=True)
def test_a_double_click_that_comes_at_once_applies_once(contest: Contest, grace: User) -> None:
    at_once = Barrier(4)

    def click(_: int) -> None:
        at_once.wait(10)
        try:
            extend(contest, grace, 15, form_key="k" * 64)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(click, range(4)))
    assert Contest.objects.get().ends_at - contest.ends_at == timedelta(minutes=15)
    assert contest.audit.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_problem_that_several_have_judged_again_at_once_is_noted_once(
    contest: Contest, grace: User, alice: User
) -> None:
    problem = contest.problems.get()
    for number in range(3):
        submit(problem, alice, language="c", source=f"{number}")
    Record.objects.update(status=Status.FINAL, verdict="WA")
    at_once = Barrier(3)

    def click(_: int) -> str:
        at_once.wait(10)
        try:
            rejudging.rejudge_problem(problem, grace)
        except Refused as refused:
            return refused.message
        finally:
            connection.close()
        return ""

    with ThreadPoolExecutor(3) as pool:
        said = sorted(pool.map(click, range(3)))
    assert said[0] == ""
    assert all("nothing to judge again" in words for words in said[1:])
    assert [entry.words for entry in contest.audit.all()] == ["Had all records of problem A judged again: 3."]
