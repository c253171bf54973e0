"""The jury's console: notices, ledger, questions, packages and the schedule, by forms alone."""

from __future__ import annotations

import io
import zipfile
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from contest.models import Clarification, Contest, Notice, Problem, User
from contest.services.clarifications import ask_clarification
from contest.services.notices import post_notice
from contest.tests.people import entered

pytestmark = pytest.mark.django_db
CONSOLE = "/staff/contests/cup/"


def test_a_notice_is_posted_by_the_form_of_the_contract(contest: Contest, grace: User) -> None:
    fields = {"title": "Clock", "body": "It is **right**.", "level": "warning", "requires_ack": "on", "problem": "A"}
    answer = entered(grace).post(f"{CONSOLE}notices/", fields)
    notice = Notice.objects.get()
    assert (answer.status_code, answer["Location"]) == (303, f"{CONSOLE}notices/{notice.pk}/")
    version = notice.versions.select_related("problem").get()
    assert (version.level, version.requires_ack, version.problem and version.problem.label) == ("warning", True, "A")
    assert entered(grace).get(f"{CONSOLE}notices/").status_code == 303


def test_title_and_text_are_enough_and_the_form_sent_twice_posts_once(contest: Contest, grace: User) -> None:
    client = entered(grace)
    fields = {"title": "t", "body": "b", "form_key": "abc"}
    assert len({client.post(f"{CONSOLE}notices/", fields)["Location"] for _ in range(2)}) == 1
    assert Notice.objects.get().versions.get().level == "info"
    client.post(f"{CONSOLE}notices/", {**fields, "body": "typed after coming back to the page"})
    assert Notice.objects.count() == 2


@pytest.mark.parametrize(
    "fields", [{"title": "", "body": "kept text"}, {"title": "t", "body": "kept text", "level": "loud"}]
)
def test_a_refused_notice_comes_back_with_what_was_typed(contest: Contest, grace: User, fields: dict[str, str]) -> None:
    answer = entered(grace).post(f"{CONSOLE}notices/", {"body": "kept text", **fields})
    assert answer.status_code == 400
    assert "kept text" in answer.content.decode()
    assert not Notice.objects.exists()


def test_editing_and_withdrawing_by_forms(contest: Contest, grace: User, alice: User) -> None:
    notice = post_notice(contest, grace, title="t", body="first", problem=contest.problems.get())
    client, path = entered(grace), f"{CONSOLE}notices/{notice.pk}/"
    form = client.get(f"{path}edit/").content.decode()
    assert "first" in form
    assert '<option value="A" selected>' in form
    answer = client.post(f"{path}edit/", {"title": "t", "body": "second", "level": "info"})
    assert (answer.status_code, answer["Location"]) == (303, path)
    assert "second" in entered(alice).get("/contests/cup/").content.decode()
    assert client.post(f"{path}withdraw/").status_code == 303
    assert "second" not in entered(alice).get("/contests/cup/").content.decode()
    refused = client.post(f"{path}edit/", {"title": "t", "body": "third", "level": "info"})
    assert refused.status_code == 400
    assert "has been withdrawn" in refused.content.decode()


def test_what_happens_to_the_notices_of_another_contest_is_not_the_jurys_business(
    contest: Contest, grace: User
) -> None:
    other = Contest.objects.create(slug="other", title="Other", starts_at=contest.starts_at, ends_at=contest.ends_at)
    admin = User.objects.create_superuser("root")
    foreign = post_notice(other, admin, title="t", body="b")
    client = entered(grace)
    assert client.get(f"{CONSOLE}notices/{foreign.pk}/").status_code == 404
    assert client.post(f"{CONSOLE}notices/{foreign.pk}/withdraw/").status_code == 404
    assert client.get("/staff/contests/other/").status_code == 403


@pytest.mark.parametrize("who", ["alice", "mallory", "olga"])
def test_no_form_of_the_console_is_for_others(
    contest: Contest, grace: User, who: str, request: pytest.FixtureRequest
) -> None:
    notice = post_notice(contest, grace, title="t", body="b")
    client = entered(request.getfixturevalue(who))
    paths = [
        "notices/",
        f"notices/{notice.pk}/edit/",
        f"notices/{notice.pk}/withdraw/",
        "schedule/",
        "unfreeze/",
        "close/",
    ]
    paths += ["clarifications/1/answer/", "packages/", "problems/A/show/", "problems/A/hide/", "problems/A/delete/"]
    assert {path: client.post(CONSOLE + path).status_code for path in paths} == dict.fromkeys(paths, 403)


def test_a_question_is_asked_and_answered_by_forms_and_a_private_answer_is_the_askers(
    contest: Contest, grace: User, alice: User, bob: User
) -> None:
    asked = entered(alice).post(
        "/contests/cup/clarifications/", {"problem": "A", "text": "May n be 0?", "form_key": "f1"}
    )
    assert (asked.status_code, asked["Location"]) == (303, "/contests/cup/#clarifications")
    entered(alice).post("/contests/cup/clarifications/", {"problem": "A", "text": "May n be 0?", "form_key": "f1"})
    question = Clarification.objects.get()
    assert "May n be 0?" in entered(grace).get(CONSOLE).content.decode()
    answered = entered(grace).post(f"{CONSOLE}clarifications/{question.pk}/answer/", {"answer": "Certainly not."})
    assert answered.status_code == 303
    seen = {
        user.username: "Certainly not." in entered(user).get("/contests/cup/").content.decode() for user in (alice, bob)
    }
    assert seen == {"alice": True, "bob": False}
    entered(grace).post(
        f"{CONSOLE}clarifications/{question.pk}/answer/", {"answer": "Certainly not.", "is_public": "on"}
    )
    assert "Certainly not." in entered(bob).get("/contests/cup/").content.decode()


def test_a_refused_question_comes_back_with_what_was_typed(contest: Contest, alice: User) -> None:
    answer = entered(alice).post("/contests/cup/clarifications/", {"problem": "Z", "text": "kept text"})
    assert answer.status_code == 404
    html = answer.content.decode()
    assert "There is no problem Z in this contest." in html
    assert "kept text" in html


def test_a_refused_answer_comes_back_with_what_was_typed(contest: Contest, grace: User, alice: User) -> None:
    question = ask_clarification(contest, alice, problem_label=None, text="?", command_key=None)
    client, path = entered(grace), f"{CONSOLE}clarifications/{question.pk}/answer/"
    client.post(path, {"answer": "Yes.", "is_public": "on"})
    refused = client.post(path, {"answer": "kept text"})
    assert refused.status_code == 400
    html = refused.content.decode()
    assert "cannot become private" in html
    assert "kept text" in html


def test_the_schedule_is_changed_in_the_jurys_own_zone(contest: Contest, grace: User) -> None:
    grace.time_zone = "Asia/Seoul"
    grace.save()
    client = entered(grace)
    start = timezone.now().replace(microsecond=0) - timedelta(hours=1)
    seoul = start + timedelta(hours=9)
    fields = {
        "starts_at": f"{seoul:%Y-%m-%dT%H:%M:%S}",
        "ends_at": f"{seoul + timedelta(hours=6):%Y-%m-%dT%H:%M:%S}",
        "freeze_at": "",
    }
    assert client.post(f"{CONSOLE}schedule/", fields).status_code == 303
    contest.refresh_from_db()
    assert (contest.starts_at, contest.ends_at) == (start, start + timedelta(hours=6))
    wrong = client.post(f"{CONSOLE}schedule/", {**fields, "ends_at": fields["starts_at"]})
    assert wrong.status_code == 400
    assert "The end must come after the start." in wrong.content.decode()


def test_a_package_is_uploaded_as_a_draft_then_shown(contest: Contest, grace: User, alice: User) -> None:
    client = entered(grace)
    upload = SimpleUploadedFile("p.zip", package_zip(), content_type="application/zip")
    answer = client.post(f"{CONSOLE}packages/", {"label": "B", "package": upload})
    assert (answer.status_code, answer["Location"]) == (303, f"{CONSOLE}problems/B/")
    assert "draft" in client.get(f"{CONSOLE}problems/B/").content.decode()
    assert entered(alice).get("/contests/cup/problems/B/").status_code == 404
    client.post(f"{CONSOLE}problems/B/show/")
    assert entered(alice).get("/contests/cup/problems/B/").status_code == 200
    client.post(f"{CONSOLE}problems/B/hide/")
    assert entered(alice).get("/contests/cup/problems/B/").status_code == 404


def test_a_package_that_is_none_is_refused_with_a_sentence(contest: Contest, grace: User) -> None:
    upload = SimpleUploadedFile("p.zip", b"this is no archive")
    answer = entered(grace).post(f"{CONSOLE}packages/", {"label": "B", "package": upload})
    assert answer.status_code == 400
    assert '<p class="error">' in answer.content.decode()
    assert not Problem.objects.filter(label="B").exists()


def test_the_end_of_a_contest_is_in_the_jurys_hands(contest: Contest, grace: User) -> None:
    contest.ends_at = timezone.now()
    contest.freeze_at = contest.ends_at - timedelta(minutes=1)
    contest.save()
    client = entered(grace)
    assert "Show the final standings" in client.get(CONSOLE).content.decode()
    client.post(f"{CONSOLE}unfreeze/")
    client.post(f"{CONSOLE}close/")
    contest.refresh_from_db()
    assert contest.unfrozen_at is not None
    assert contest.archived_at is not None


def test_a_label_that_is_too_long_is_refused_in_words_and_the_same_package_is_said_to_be_the_same(
    contest: Contest, grace: User
) -> None:
    client = entered(grace)

    def upload(label: str) -> str:
        file = SimpleUploadedFile("p.zip", package_zip(), content_type="application/zip")
        return client.post(f"{CONSOLE}packages/", {"label": label, "package": file}, follow=True).content.decode()

    refused = upload("TOOLONGLABEL")
    assert '<a href="#id_label">Label</a>: A label is one' in refused, "the summary on top of the form"
    assert "At most 256 MiB." in refused
    assert "A label is one to eight letters" in refused
    assert 'maxlength="8"' not in refused, "browsers cut what is typed"
    assert "imported as version 1 of problem B" in upload("b")
    assert "no new version is made" in upload("B")
    gone = client.post(f"{CONSOLE}problems/B/delete/", follow=True).content.decode()
    assert "Problem B is deleted." in gone
    assert not contest.problems.filter(label="B").exists()


def package_zip() -> bytes:
    files = {
        "problem.yaml": "problem_format_version: 2023-07-draft\nname: Double\nlimits:\n  time_limit: 1\n",
        "statement/problem.en.md": "Print twice $n$.",
        "data/sample/1.in": "1\n",
        "data/sample/1.ans": "2\n",
        "data/secret/2.in": "2\n",
        "data/secret/2.ans": "4\n",
        "submissions/accepted/a.py": "print(2 * int(input()))\n",
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            archive.writestr(f"double/{name}", text)
    return buffer.getvalue()


def test_withdrawing_is_asked_for_on_a_page_of_its_own_and_only_its_form_does_it(
    contest: Contest, alice: User, grace: User
) -> None:
    notice = post_notice(contest, grace, title="Lunch at one", body="x")
    where = f"{CONSOLE}notices/{notice.pk}/withdraw/"
    assert "Lunch at one" in entered(grace).get(where).content.decode()
    notice.refresh_from_db()
    assert notice.withdrawn_at is None, "looking withdrew it"
    assert entered(alice).get(where).status_code == 403
    assert entered(grace).post(where).status_code == 303
    notice.refresh_from_db()
    assert notice.withdrawn_at is not None
