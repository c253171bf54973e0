"""Every page for everybody: who may see it, what it says, and in how few queries."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from contest.access import EXCLUDED
from contest.models import Contest, Problem, User
from contest.services.notices import post_notice, withdraw_notice
from contest.services.records import submit
from contest.services.registration import ban
from contest.tests.page_data import page_data
from contest.tests.people import entered

pytestmark = pytest.mark.django_db
PEOPLE = ["alice", "mallory", "grace", "olga", None]


@pytest.fixture
def people(alice: User, bob: User, mallory: User, grace: User, olga: User) -> dict[str | None, User | None]:
    return {"alice": alice, "bob": bob, "mallory": mallory, "grace": grace, "olga": olga, None: None}


def move(contest: Contest, *, start_h: float, end_h: float) -> None:
    contest.starts_at = timezone.now() + timedelta(hours=start_h)
    contest.ends_at = timezone.now() + timedelta(hours=end_h)
    contest.save()


# --- Addresses that take forms --------------------------------------------------------------------


def test_whoever_comes_without_a_form_is_led_to_the_page_that_has_it(contest: Contest, grace: User) -> None:
    browser = entered(grace)
    for path, page in [
        ("/contests/cup/register/", "/contests/cup/"),
        ("/contests/cup/clarifications/", "/contests/cup/"),
        ("/contests/cup/problems/A/submit/", "/contests/cup/problems/A/"),
        ("/staff/contests/cup/packages/", "/staff/contests/cup/"),
        ("/staff/contests/cup/clarifications/1/answer/", "/staff/contests/cup/"),
        ("/staff/contests/cup/problems/A/show/", "/staff/contests/cup/problems/A/"),
    ]:
        assert browser.get(path)["Location"] == page
        assert browser.put(path).status_code == 405


# --- Who may see what -----------------------------------------------------------------------------

RUNNING = [
    ("/", {"alice": 200, "mallory": 200, "grace": 200, "olga": 200, None: 200}),
    ("/contests/cup/", {"alice": 200, "mallory": 200, "grace": 200, "olga": 200, None: 200}),
    ("/contests/cup/problems/A/", {"alice": 200, "mallory": 404, "grace": 200, "olga": 404, None: 404}),
    ("/contests/cup/problems/A/samples/1.in", {"alice": 200, "mallory": 404, "grace": 200, "olga": 404, None: 404}),
    ("/contests/cup/problems/A/samples/2.in", {"alice": 404, "mallory": 404, "grace": 404, "olga": 404, None: 404}),
    ("/contests/cup/problems/Z/", {"alice": 404, "mallory": 404, "grace": 404, "olga": 404, None: 404}),
    ("/contests/cup/records/", {"alice": 200, "mallory": 200, "grace": 200, "olga": 200, None: 302}),
    ("/contests/cup/standings/", {"alice": 200, "mallory": 200, "grace": 200, "olga": 200, None: 200}),
    ("/contests/cup/time/", {"alice": 200, "mallory": 200, "grace": 200, "olga": 200, None: 302}),
    ("/contests/nope/", {"alice": 404, "mallory": 404, "grace": 404, "olga": 404, None: 302}),
    ("/staff/contests/cup/", {"alice": 403, "mallory": 403, "grace": 200, "olga": 403, None: 302}),
    ("/accounts/profile/", {"alice": 200, "mallory": 200, "grace": 200, "olga": 200, None: 302}),
    ("/accounts/password/", {"alice": 200, "mallory": 200, "grace": 200, "olga": 200, None: 302}),
]


@pytest.mark.parametrize(("path", "expected"), RUNNING)
def test_while_the_contest_runs_each_page_is_for_those_whom_it_is_for(
    people: dict[str | None, User | None], path: str, expected: dict[str | None, int]
) -> None:
    assert {name: entered(people[name]).get(path).status_code for name in PEOPLE} == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/contests/cup/", {"alice": 200, "mallory": 200, "grace": 200, None: 200}),
        ("/contests/cup/problems/A/", {"alice": 404, "mallory": 404, "grace": 200, None: 404}),
        ("/contests/cup/problems/A/samples/1.ans", {"alice": 404, "mallory": 404, "grace": 200, None: 404}),
        ("/contests/cup/standings/", {"alice": 403, "mallory": 403, "grace": 200, None: 403}),
    ],
)
def test_before_the_start_nothing_about_problems_is_shown(
    contest: Contest, people: dict[str | None, User | None], path: str, expected: dict[str | None, int]
) -> None:
    move(contest, start_h=1, end_h=5)
    answers = {name: entered(people[name]).get(path) for name in expected}
    assert {name: answer.status_code for name, answer in answers.items()} == expected
    for name in ("alice", "mallory", None):
        assert "Sum" not in answers[name].content.decode()


def test_a_private_contest_does_not_exist_for_strangers(
    contest: Contest, people: dict[str | None, User | None]
) -> None:
    contest.visibility = "private"
    contest.save()
    for path in ["/contests/cup/", "/contests/cup/standings/", "/contests/cup/problems/A/"]:
        assert entered(people["mallory"]).get(path).status_code == 404
        assert entered(people["alice"]).get(path).status_code == 200
        assert entered(None).get(path).status_code == 302
    assert "Cup" not in entered(people["mallory"]).get("/").content.decode()


def test_the_list_tells_whoever_is_excluded_from_what_runs_that_they_are_and_whom_to_ask(
    contest: Contest, alice: User, grace: User
) -> None:
    ban(contest, alice, grace)
    html = entered(alice).get("/").content.decode()
    assert ("No contest is running now" in html, "Cup" in html) == (False, True)
    assert f"{EXCLUDED} Ask them if you think that this is a mistake" in html
    assert 'href="/contests/cup/"' not in html, "it leads to a refusal"


def test_a_record_is_its_owners_and_the_jurys_until_the_end_and_everybodys_after_it(
    contest: Contest, people: dict[str | None, User | None]
) -> None:
    alice = people["alice"]
    assert alice is not None
    path = submit(contest.problems.get(), alice, language="python", source="print(3)").get_absolute_url()
    for query in ("", "?format=json"):
        running = {name: entered(people[name]).get(path + query).status_code for name in (*PEOPLE, "bob")}
        assert running == {"alice": 200, "grace": 200, "mallory": 404, "bob": 404, "olga": 404, None: 302}
    move(contest, start_h=-5, end_h=-0.01)
    after = {name: entered(people[name]).get(path).status_code for name in (*PEOPLE, "bob")}
    assert after == {"alice": 200, "grace": 200, "mallory": 200, "bob": 200, "olga": 200, None: 200}


def test_the_page_of_a_record_is_its_receipt(contest: Contest, alice: User) -> None:
    record = submit(contest.problems.get(), alice, language="python", source="print(3)\n")
    html = entered(alice).get(record.get_absolute_url()).content.decode()
    assert record.source_sha256 in html
    assert f"{record.submitted_at:%Y-%m-%d %H:%M:%S}" in html
    assert f'data-record-id="{record.pk}" data-status="queued"' in html
    data = entered(alice).get(f"{record.get_absolute_url()}?format=json").json()
    assert (data["source"], data["source_sha256"]) == ("print(3)\n", record.source_sha256)
    assert data["record"]["status"] == "queued"


# --- What a page carries --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "path", "streams"),
    [
        ("alice", "/contests/cup/", {"announcements", "timer"}),
        ("alice", "/contests/cup/problems/A/", {"announcements", "timer", "selftest", "records"}),
        ("alice", "/contests/cup/records/", {"announcements", "timer", "records"}),
        ("alice", "/contests/cup/standings/", {"announcements", "timer"}),
        ("grace", "/contests/cup/", {"announcements"}),
        ("mallory", "/contests/cup/", set()),
        (None, "/contests/cup/", set()),
    ],
)
def test_a_page_carries_the_streams_that_its_reader_may_open(
    people: dict[str | None, User | None], name: str | None, path: str, streams: set[str]
) -> None:
    html = entered(people[name]).get(path).content.decode()
    data = page_data(html)
    assert set(data["streams"]) == streams
    assert (' data-connection="connecting"' in html) == bool(streams)
    for stream, given in data["streams"].items():
        assert given["url"] == f"/ws/contests/cup/{stream}"
        assert f'data-stream="{stream}" data-state="connecting"' in html


def test_cursors_are_read_before_the_data(contest: Contest, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    from contest.ports import read_cursors as cursors
    from contest.selectors.live import read_snapshot as snapshot

    def traced(name: str, function: Any) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            order.append(name)
            return function(*args, **kwargs)

        return call

    monkeypatch.setattr("contest.views.live.read_cursors", traced("cursor", cursors))
    monkeypatch.setattr("contest.views.live.read_snapshot", traced("data", snapshot))
    entered(alice).get("/contests/cup/")
    assert order == ["cursor", "data"] * 2


@pytest.mark.parametrize("path", ["", "standings/", "problems/A/"])
def test_a_page_can_be_kept_for_the_back_button_and_by_nobody_else(contest: Contest, alice: User, path: str) -> None:
    answer = entered(alice).get(f"/contests/cup/{path}")
    assert (answer.status_code, answer["Cache-Control"]) == (200, "private, no-cache")


def test_what_is_said_of_the_connection_waits_its_turn_and_what_is_urgent_does_not(
    contest: Contest, alice: User
) -> None:
    html = entered(alice).get("/contests/cup/").content.decode()
    assert '<p id="connection-said" class="said" role="status" aria-live="polite"></p>' in html
    assert '<p id="notice-said-now" class="said" role="alert" aria-live="assertive"></p>' in html


def test_a_notice_cannot_break_out_of_the_page(contest: Contest, alice: User, grace: User) -> None:
    post_notice(contest, grace, title="</script><script>alert(1)</script>", body="<script>alert(2)</script> **x**")
    html = entered(alice).get("/contests/cup/").content.decode()
    assert "<script>alert" not in html
    assert page_data(html)["streams"]["announcements"]["data"]["notices"][0]["title"].startswith("</script>")


# --- Notices without scripts ----------------------------------------------------------------------


def test_an_unread_notice_is_an_alert_on_every_page_until_it_is_confirmed_by_the_form(
    contest: Contest, alice: User, grace: User
) -> None:
    notice = post_notice(contest, grace, title="Evacuate", body="Now.", requires_ack=True)
    client = entered(alice)
    alert = f'role="dialog" aria-modal="false" aria-labelledby="alert-title-{notice.pk}"'
    pages = ["/contests/cup/", "/contests/cup/problems/A/", "/contests/cup/standings/", "/contests/cup/records/"]
    assert all(alert in client.get(path).content.decode() for path in pages)
    assert alert not in entered(grace).get("/contests/cup/").content.decode(), "the jury wrote it"
    answer = client.post(
        "/contests/cup/notices/confirm/", {"notice": notice.pk, "version": 1, "next": "/contests/cup/records/"}
    )
    assert (answer.status_code, answer["Location"]) == (303, "/contests/cup/records/")
    assert not any(alert in client.get(path).content.decode() for path in pages)
    assert notice.receipts.get().confirmed_at is not None


def test_every_page_of_a_contestant_has_the_bell_and_none_of_the_jury(
    contest: Contest, alice: User, grace: User
) -> None:
    for path in ("/contests/cup/", "/contests/cup/problems/A/", "/contests/cup/standings/", "/contests/cup/records/"):
        assert 'id="bell-sound"' in entered(alice).get(path).content.decode(), path
        assert 'id="bell-sound"' not in entered(grace).get(path).content.decode(), path


@pytest.mark.parametrize(
    "wanted", ["https://evil.example/", "//evil.example/", "javascript:alert(1)", "/\\evil.example"]
)
def test_a_form_leads_only_to_this_site(contest: Contest, alice: User, grace: User, wanted: str) -> None:
    notice = post_notice(contest, grace, title="x", body="x")
    answer = entered(alice).post("/contests/cup/notices/confirm/", {"notice": notice.pk, "version": 1, "next": wanted})
    assert answer["Location"] == "/contests/cup/"


@pytest.mark.parametrize("fields", [{}, {"notice": "x", "version": "1"}, {"notice": "9" * 60, "version": "1"}])
def test_a_confirmation_of_nothing_is_answered_in_words(contest: Contest, alice: User, fields: dict[str, str]) -> None:
    answer = entered(alice).post("/contests/cup/notices/confirm/", fields, follow=True)
    assert answer.status_code == 200
    assert "notice" in answer.context["messages"]._loaded_data[0].message.lower()


# --- Queries --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "limit"),
    [
        ("/", 4),
        ("/contests/cup/", 14),
        ("/contests/cup/problems/A/", 21),
        ("/contests/cup/records/", 17),
        ("/contests/cup/standings/", 15),
        ("/records/{record}/", 19),
    ],
)
def test_the_number_of_queries_of_a_page_does_not_grow_with_its_content(
    contest: Contest,
    alice: User,
    grace: User,
    path: str,
    limit: int,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    problem = contest.problems.get()
    client = entered(alice)
    record = submit(problem, alice, language="python", source="print(3)")
    path = path.format(record=record.pk)
    client.get(path)

    def count() -> int:
        with django_assert_max_num_queries(limit) as queries:
            assert client.get(path).status_code == 200
        return len(queries)

    few = count()
    for number in range(5):
        submit(problem, alice, language="python", source=f"print({number})")
        post_notice(contest, grace, title=f"n{number}", body="x", problem=problem)
        Problem.objects.create(contest=contest, label=f"B{number}", title="More", is_draft=False)
        Contest.objects.create(slug=f"c{number}", title="c", starts_at=contest.starts_at, ends_at=contest.ends_at)
    assert count() <= few + 3  # cached renderings have to be made anew, once


def test_a_withdrawn_notice_is_on_no_page(contest: Contest, alice: User, grace: User) -> None:
    notice = post_notice(contest, grace, title="Mistake", body="x")
    withdraw_notice(notice, grace)
    assert "Mistake" not in entered(alice).get("/contests/cup/").content.decode()
    assert "Mistake" in entered(grace).get("/staff/contests/cup/").content.decode()
