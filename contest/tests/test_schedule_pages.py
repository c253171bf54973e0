"""The jury's pages for times, contestants and rejudging, by forms alone."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from contest.models import Contest, Participation, Record, User
from contest.models.queue import Status
from contest.services.records import submit
from contest.services.schedule import end_now
from contest.tests.people import entered

pytestmark = pytest.mark.django_db
CONSOLE = "/staff/contests/cup/"
SCHEDULE = f"{CONSOLE}schedule/"


def html(user: User, path: str) -> str:
    answer = entered(user).get(path)
    assert answer.status_code == 200, answer.status_code
    return str(answer.content.decode())


def test_extending_by_the_form_moves_the_end_and_is_in_the_history_with_its_reason(
    contest: Contest, grace: User
) -> None:
    answer = entered(grace).post(f"{SCHEDULE}extend/", {"minutes": "15", "reason": "power cut"})
    assert (answer.status_code, answer["Location"]) == (303, SCHEDULE)
    assert Contest.objects.get().ends_at - contest.ends_at == timedelta(minutes=15)
    page = html(grace, SCHEDULE)
    assert "Extended the contest by 15 minutes, to <time datetime=" in page
    assert "UTC." not in page.split("history-rows")[1], "the history's times are in the viewer's zone"
    assert "power cut" in page


def test_pausing_and_going_on_by_forms_and_what_a_contestant_sees_meanwhile(
    contest: Contest, grace: User, alice: User
) -> None:
    jury = entered(grace)
    jury.post(f"{SCHEDULE}pause/", {"reason": ""})
    page = html(alice, "/contests/cup/problems/A/")
    assert "The contest is paused" in page
    assert 'id="submit-form"' in page, "what was written stays"
    refused = entered(alice).post("/contests/cup/problems/A/submit/", {"language": "c", "source": "x"})
    assert refused.status_code == 403
    assert "paused" in refused.content.decode()
    assert "Let it go on" in html(grace, CONSOLE)
    jury.post(f"{SCHEDULE}resume/", {})
    assert Contest.objects.get().paused_at is None
    assert "The contest is paused" not in html(alice, "/contests/cup/")


def test_a_refused_action_comes_back_with_what_was_typed_and_why(contest: Contest, grace: User) -> None:
    refused = entered(grace).post(f"{SCHEDULE}shift/", {"minutes": "15", "reason": "kept reason"})
    assert refused.status_code == 400
    end_now(contest, grace)
    refused = entered(grace).post(f"{SCHEDULE}extend/", {"minutes": "-15", "reason": "kept reason"})
    assert refused.status_code == 400
    assert "kept reason" in refused.content.decode()
    assert "over already" in refused.content.decode()
    assert entered(grace).post(f"{SCHEDULE}explode/").status_code == 404
    assert entered(grace).get(f"{SCHEDULE}extend/")["Location"] == SCHEDULE


def test_a_contest_made_private_is_gone_for_everybody_outside(
    contest: Contest, grace: User, alice: User, mallory: User
) -> None:
    assert entered(mallory).get("/contests/cup/").status_code == 200
    entered(grace).post(f"{SCHEDULE}visibility/", {"visibility": "private", "reason": "by mistake public"})
    assert [entered(user).get("/contests/cup/").status_code for user in (alice, mallory)] == [200, 404]
    entered(grace).post(f"{SCHEDULE}registration/", {})
    assert not Contest.objects.get().registration_open
    assert contest.audit.count() == 2


def test_somebody_is_registered_given_time_excluded_let_back_in_and_removed(
    contest: Contest, grace: User, mallory: User
) -> None:
    jury, people = entered(grace), f"{CONSOLE}people/"
    answer = jury.post(f"{people}enter/", {"username": "mallory"})
    person = f"{people}{mallory.pk}/"
    assert answer["Location"] == person
    assert jury.post(f"{person}extra-time/", {"minutes": "10", "reason": ""}).status_code == 400
    jury.post(f"{person}extra-time/", {"minutes": "10", "reason": "her computer broke"})
    own = Participation.objects.get(user=mallory)
    assert own.extra_time_s == 600
    overview = html(mallory, "/contests/cup/")
    assert "with 10 minutes of extra time" in overview
    assert "her computer broke" not in overview
    assert "her computer broke" in html(grace, person)
    jury.post(f"{person}exclude/", {"reason": "two accounts"})
    assert entered(mallory).get("/contests/cup/").status_code == 403
    assert "excluded" in html(grace, f"{people}?only=banned")
    jury.post(f"{person}readmit/", {"reason": "one was a namesake's"})
    assert jury.post(f"{person}remove/", {"reason": "wanted so"})["Location"] == people
    assert not Participation.objects.filter(user=mallory).exists()
    assert contest.audit.filter(subject=mallory).count() == 5


def test_names_that_nobody_has_and_people_of_other_contests_are_refused(contest: Contest, grace: User) -> None:
    jury = entered(grace)
    refused = jury.post(f"{CONSOLE}people/enter/", {"username": "nobody"})
    assert refused.status_code == 404
    assert "no account of this name" in refused.content.decode()
    assert jury.post(f"{CONSOLE}people/enter/", {"username": "grace"}).status_code == 400
    assert jury.get(f"{CONSOLE}people/{grace.pk}/").status_code == 404


def test_rejudging_asks_how_many_are_meant_and_shows_how_far_it_is(contest: Contest, grace: User, alice: User) -> None:
    problem = contest.problems.get()
    records = [submit(problem, alice, language="c", source=f"{number}") for number in range(2)]
    Record.objects.update(status=Status.FINAL, verdict="WA")
    jury, path = entered(grace), f"{CONSOLE}rejudge/"
    assert "Judge 2 records of problem A again?" in html(grace, f"{path}?problem=A")
    assert Record.objects.filter(status=Status.FINAL).count() == 2, "asking changes nothing"
    assert jury.post(path, {"problem": "A", "reason": "wrong tests"})["Location"] == path
    assert not Record.objects.filter(status=Status.FINAL).exists()
    assert "0 of 2" in html(grace, path)
    Record.objects.filter(pk=records[0].pk).update(status=Status.FINAL, verdict="AC")
    assert "1 of 2" in html(grace, path)
    assert f"?record={records[0].pk}" in html(grace, f"/records/{records[0].pk}/")
    jury.post(path, {"record": records[0].pk})
    assert Record.objects.get(pk=records[0].pk).status == Status.QUEUED
    assert jury.post(path, {"record": records[0].pk}).status_code == 400
    assert jury.post(path, {"record": "999999"}).status_code == 400


def test_a_common_answer_is_put_in_without_a_script_and_nothing_is_sent(
    contest: Contest, grace: User, alice: User
) -> None:
    entered(alice).post("/contests/cup/clarifications/", {"text": "May n be 0?"})
    question = contest.clarifications.get()
    path = f"{CONSOLE}clarifications/{question.pk}/answer/"
    page = entered(grace).post(path, {"answer": "typed", "template": "No comment.", "fill": "1", "is_public": "on"})
    assert (page.status_code, "typed\nNo comment.</textarea>" in page.content.decode()) == (200, True)
    question.refresh_from_db()
    assert question.answered_at is None
    assert ">1</span>" in html(grace, "/contests/cup/"), "the navigation counts it"


def test_the_common_answers_are_the_jurys_to_change(contest: Contest, grace: User, alice: User) -> None:
    entered(alice).post("/contests/cup/clarifications/", {"text": "?"})
    assert "Read the problem statement." in html(grace, CONSOLE)
    entered(grace).post(f"{CONSOLE}answers/", {"answers": "See notice 1.\n\n  Yes. \nYes.\n"})
    assert Contest.objects.get().answer_templates == ["See notice 1.", "Yes."]
    refused = entered(grace).post(f"{CONSOLE}answers/", {"answers": "x" * 201})
    assert refused.status_code == 400
    assert "longer than 200" in refused.content.decode()


def test_the_panel_that_asks_is_on_every_page_of_those_who_take_part(
    contest: Contest, alice: User, grace: User, mallory: User
) -> None:
    pages = ["", "problems/A/", "records/", "standings/"]
    for path in pages:
        assert 'id="ask-form"' in html(alice, f"/contests/cup/{path}"), path
    assert 'id="ask-form"' not in html(grace, "/contests/cup/")
    assert 'id="ask-form"' not in html(mallory, "/contests/cup/")


@pytest.mark.parametrize("who", ["alice", "mallory", "olga"])
def test_none_of_it_is_for_others(contest: Contest, alice: User, who: str, request: pytest.FixtureRequest) -> None:
    client = entered(request.getfixturevalue(who))
    actions = ["extend", "shift", "pause", "resume", "end", "visibility", "registration"]
    paths = ["schedule/", "rejudge/", "answers/", "people/enter/", *(f"schedule/{action}/" for action in actions)]
    paths += [f"people/{alice.pk}/{action}/" for action in ("extra-time", "exclude", "readmit", "remove")]
    fields = {"minutes": "5", "reason": "r", "visibility": "private", "problem": "A", "username": "mallory"}
    assert {path: client.post(CONSOLE + path, fields).status_code for path in paths} == dict.fromkeys(paths, 403)
    shown = ["schedule/", "rejudge/", "people/", f"people/{alice.pk}/"]
    assert {path: client.get(CONSOLE + path).status_code for path in shown} == dict.fromkeys(shown, 403)
    assert not contest.audit.exists()


def test_operators_see_what_waits_for_the_judges_and_others_do_not(
    contest: Contest, alice: User, grace: User, olga: User
) -> None:
    record = submit(contest.problems.get(), alice, language="c", source="x")
    rows = Record.objects.filter(pk=record.pk)
    rows.update(worker="judge-1", lease_expires_at=timezone.now() - timedelta(seconds=1))
    page = html(olga, "/staff/operations/")
    assert "judge-1" not in page, "it is dead: what it had waits again"
    rows.update(lease_expires_at=timezone.now() + timedelta(seconds=20))
    page = html(olga, "/staff/operations/")
    assert "judge-1" in page
    assert f"record {record.pk}" in page
    assert "No node has been heard of." in page
    assert [entered(user).get("/staff/operations/").status_code for user in (alice, grace)] == [403, 403]
    assert entered(None).get("/staff/operations/").status_code == 302
