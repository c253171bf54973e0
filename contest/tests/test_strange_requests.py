"""Whatever is asked, typed or sent, the answer is a page in words, never a failure of the server."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from django.test import Client

from contest.models import Contest, User
from contest.services.clarifications import ask_clarification
from contest.services.notices import post_notice
from contest.tests.people import entered

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

STRANGE = {
    "nothing": "",
    "zero byte": "a\x00b",
    "5000 digits": "9" * 5000,
    "30 digits": "9" * 30,
    "2 ** 63": str(2**63),
    "other digits": "\N{ARABIC-INDIC DIGIT ONE}\N{SUPERSCRIPT TWO}",
    "negative": "-1",
    "long text": "x" * 100_000,
    "markup": "<script>alert(1)</script>'\"{{ 1 }}{% x %}",
    "line ends": "a\r\nSet-Cookie: x=1\r\n\r\n",
    "right to left": "\u202egpj.exe\u2066",
    "no characters": "\ufffe\uffff\U0010ffff",
}
values = pytest.mark.parametrize("value", STRANGE.values(), ids=STRANGE.keys())

CONTEST, STAFF = "/contests/cup/", "/staff/contests/cup/"
READ = {
    "/": ("page",),
    CONTEST: ("format",),
    f"{CONTEST}records/": ("before", "problem", "language", "verdict", "user", "only_own"),
    f"{CONTEST}standings/": ("part",),
    f"{CONTEST}problems/A/": ("lang",),
    "/accounts/login/": ("next",),
    "/accounts/register/": ("next",),
}
WRITTEN = {
    "/accounts/login/": ("username", "password", "next"),
    "/accounts/register/": ("username", "display_name", "password1", "password2", "next"),
    "/accounts/profile/": ("display_name", "language", "time_zone"),
    "/accounts/password/": ("old_password", "new_password1", "new_password2"),
    f"{CONTEST}register/": ("next",),
    f"{CONTEST}clarifications/": ("problem", "text", "form_key"),
    f"{CONTEST}notices/confirm/": ("notice", "version", "next"),
    f"{CONTEST}problems/A/submit/": ("language", "source", "idempotency_key"),
    f"{STAFF}notices/": ("title", "body", "level", "problem", "requires_ack", "form_key"),
    f"{STAFF}notices/{{notice}}/edit/": ("title", "body", "level", "problem", "requires_ack"),
    f"{STAFF}clarifications/{{question}}/answer/": ("answer", "is_public"),
    f"{STAFF}packages/": ("label", "package"),
    f"{STAFF}schedule/": ("starts_at", "ends_at", "freeze_at"),
}
# What makes the other fields of a form right, so that the strange one is looked at.
USUAL = {
    "text": "Why?",
    "title": "t",
    "body": "b",
    "language": "python",
    "source": "print(3)",
    "notice": "1",
    "version": "1",
    "answer": "Because.",
    "label": "B",
    "starts_at": "2026-01-01T00:00:00",
    "ends_at": "2026-01-02T00:00:00",
}


@pytest.fixture(autouse=True)
def templates_are_not_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two thousand answers are looked at from outside; notes of how they were rendered took a third of the time."""
    monkeypatch.setattr("django.test.client.store_rendered_templates", lambda *_, **__: None)


def assert_answered(client: Client, method: str, path: str, **fields: str) -> None:
    answer = getattr(client, method)(path, fields)
    assert answer.status_code < 500, (path, sorted(fields))
    assert "evil" not in answer.get("Location", "")


@values
@pytest.mark.parametrize("path", READ)
def test_a_page_is_shown_whatever_its_address_asks_for(
    contest: Contest, alice: User, grace: User, path: str, value: str
) -> None:
    for client in (entered(None), entered(alice), entered(grace)):
        for name in READ[path]:
            assert_answered(client, "get", path, **{name: value})


@values
@pytest.mark.parametrize("path", WRITTEN)
def test_a_form_is_answered_whatever_is_typed_into_it(
    contest: Contest, alice: User, grace: User, path: str, value: str
) -> None:
    notice = post_notice(contest, grace, title="t", body="b")
    question = ask_clarification(contest, alice, problem_label=None, text="Why?", command_key=None)
    names = WRITTEN[path]
    path = path.format(notice=notice.pk, question=question.pk)
    for client in (entered(None), entered(alice), entered(grace)):
        for name in names:
            assert_answered(client, "post", path, **{**{n: USUAL[n] for n in names if n in USUAL}, name: value})


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/New_York", "UTC"])
def test_no_contest_lies_beyond_the_calendar(contest: Contest, grace: User, zone: str) -> None:
    client = entered(grace)
    client.cookies["fathom_tz"] = zone
    for first, last in (("0001-01-01T00:00:00", "2030-01-01T00:00:00"), ("2026-01-01T00:00:00", "9999-12-31T23:59:59")):
        answer = client.post(f"{STAFF}schedule/", {"starts_at": first, "ends_at": last})
        assert answer.status_code == 400
        assert "in the years 1970 to 2199" in answer.content.decode()


def test_no_cache_between_keeps_somebodys_page(contest: Contest, alice: User) -> None:
    for path in ("/", CONTEST, f"{CONTEST}standings/", "/accounts/profile/", "/nowhere/"):
        assert "private" in entered(alice).get(path)["Cache-Control"], path


@values
@pytest.mark.parametrize(
    "address",
    [
        "/contests/{}/",
        "/contests/cup/problems/{}/",
        "/contests/cup/problems/A/images/{}",
        "/contests/cup/problems/A/samples/{}.in",
        "/records/{}/",
        "/staff/contests/cup/notices/{}/",
        "/staff/contests/cup/people/{}/",
        "/staff/contests/cup/problems/{}/",
        "/staff/contests/cup/time/{}/",
        "/accounts/{}/",
    ],
)
def test_an_address_that_nobody_made_is_not_found(
    contest: Contest, alice: User, grace: User, address: str, value: str
) -> None:
    for client in (entered(None), entered(alice), entered(grace)):
        assert_answered(client, "get", address.format(quote(value, safe="")))


@values
def test_a_cookie_or_a_header_that_nobody_made_changes_nothing(contest: Contest, alice: User, value: str) -> None:
    header = value.encode().decode("latin-1")  # as servers hand them on
    for client in (entered(None), entered(alice)):
        client.cookies["fathom_tz"] = header
        headers = {"Accept-Language": header, "If-None-Match": header, "Referer": header}
        for path in ("/", "/contests/cup/", "/contests/cup/problems/A/samples/1.in"):
            assert client.get(path, headers=headers).status_code in (200, 302, 404)


@pytest.mark.parametrize("method", ["head", "options", "put", "delete", "patch", "trace"])
def test_other_methods_read_at_most(contest: Contest, alice: User, grace: User, method: str) -> None:
    paths = [*READ, *(path for path in WRITTEN if "{" not in path), "/records/1/", "/healthz", "/readyz", "/metrics"]
    before = Contest.objects.values().get(pk=contest.pk)
    for client in (entered(None), entered(alice), entered(grace)):
        for path in paths:
            assert getattr(client, method)(path).status_code < 500, path
    assert Contest.objects.values().get(pk=contest.pk) == before
