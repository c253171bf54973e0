"""Signing in, registering, the profile, and what is said when something goes wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest
from axes.models import AccessAttempt
from django.conf import settings
from django.core.cache import cache
from django.test import Client

from contest.known_browsers import COOKIE
from contest.models import Contest, User
from contest.tests.people import entered

pytestmark = pytest.mark.django_db


def sign_in(client: Client, username: str, password: str, **fields: str) -> tuple[int, str]:
    answer = client.post("/accounts/login/", {"username": username, "password": password, **fields})
    return answer.status_code, answer.get("Location") or answer.content.decode()


def test_signing_in_leads_where_one_wanted_to_go(alice: User) -> None:
    assert sign_in(Client(), "alice", "demo-alice", next="/contests/cup/") == (302, "/contests/cup/")
    assert sign_in(Client(), "alice", "demo-alice") == (302, "/")


@pytest.mark.parametrize("wanted", ["https://evil.example/", "//evil.example/x", "javascript:alert(1)"])
def test_signing_in_leads_only_to_this_site(alice: User, wanted: str) -> None:
    assert sign_in(Client(), "alice", "demo-alice", next=wanted) == (302, "/")


def test_a_wrong_password_and_an_unknown_name_are_told_in_the_same_words(alice: User) -> None:
    answers = [sign_in(Client(), name, "wrong") for name in ("alice", "nobody")]
    assert [status for status, _ in answers] == [200, 200]
    assert all("The user name or the password is wrong." in html for _, html in answers)


def test_after_too_many_wrong_passwords_the_name_is_locked_for_this_address_and_for_nobody_else(
    alice: User, bob: User
) -> None:
    client = Client()
    statuses = [sign_in(client, "alice", "wrong")[0] for _ in range(settings.AXES_FAILURE_LIMIT)]
    assert statuses[:-1] == [200] * (settings.AXES_FAILURE_LIMIT - 1), "it was locked too early"
    status, words = sign_in(client, "alice", "demo-alice")
    assert status == 429, "the right password does not open a locked name"
    assert "Too many attempts" in words
    assert sign_in(client, "bob", "demo-bob")[0] == 302, "others at the address sign in"
    elsewhere = Client(REMOTE_ADDR="192.0.2.9")
    assert sign_in(elsewhere, "alice", "demo-alice")[0] == 302, "Alice signs in from elsewhere"


def locked_out(username: str) -> None:
    """Mallory types wrong passwords for another's name, at the same address."""
    mallory = Client()
    while sign_in(mallory, username, "wrong")[0] != 429:
        pass
    assert sign_in(Client(), username, f"demo-{username}")[0] == 429, "the lock holds"


def test_nobody_is_locked_out_of_a_browser_that_knew_the_password(alice: User) -> None:
    known = Client()
    sign_in(known, "alice", "demo-alice")
    known.post("/accounts/logout/")
    locked_out("alice")
    assert sign_in(known, "alice", "demo-alice")[0] == 302


def test_a_browser_that_knew_the_password_guesses_no_more_often_than_others(alice: User, bob: User) -> None:
    known = Client()
    sign_in(known, "alice", "demo-alice")
    known.post("/accounts/logout/")
    statuses = [sign_in(known, "alice", "wrong")[0] for _ in range(3 * settings.AXES_FAILURE_LIMIT)]
    assert statuses.count(200) < 2 * settings.AXES_FAILURE_LIMIT
    assert statuses[-1] == 429
    assert sign_in(known, "alice", "demo-alice")[0] == 429


def test_a_known_browser_opens_no_other_account_and_a_made_up_cookie_none(alice: User, bob: User) -> None:
    known = Client()
    sign_in(known, "alice", "demo-alice")
    known.post("/accounts/logout/")
    locked_out("bob")
    assert sign_in(known, "bob", "demo-bob")[0] == 429
    forged = Client()
    for value in ("", "bob", "WyJib2IiLCAieCJd:1:x", "\xff"):
        forged.cookies[COOKIE] = value
        assert sign_in(forged, "bob", "demo-bob")[0] == 429


def test_who_goes_on_guessing_does_not_prolong_the_lock(alice: User) -> None:
    locked_out("alice")
    before = AccessAttempt.objects.get().attempt_time
    assert sign_in(Client(), "alice", "wrong")[0] == 429
    assert AccessAttempt.objects.get().attempt_time == before


def test_the_session_cookie_is_named_as_scripts_expect_and_kept_from_scripts_of_pages(alice: User) -> None:
    client = Client()
    sign_in(client, "alice", "demo-alice")
    cookie = client.cookies["sessionid"]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"


def test_a_form_without_its_token_is_refused_in_words(alice: User) -> None:
    client = entered(alice, enforce_csrf_checks=True)
    answer = client.post("/contests/cup/unregister/")
    assert answer.status_code == 403
    assert "This form is out of date" in answer.content.decode()


def test_signing_out_needs_a_form(alice: User) -> None:
    client = entered(alice)
    assert client.get("/accounts/logout/").status_code == 405
    assert client.post("/accounts/logout/").status_code == 303
    assert client.get("/accounts/profile/").status_code == 302


def test_somebody_new_makes_an_account_and_is_signed_in(contest: Contest) -> None:
    client = Client()
    fields = {
        "username": "trent", "display_name": "Trent T.", "password1": "soundings-7", "password2": "soundings-7",
        "next": "/contests/cup/",
    }  # fmt: skip
    answer = client.post("/accounts/register/", fields)
    assert (answer.status_code, answer["Location"]) == (303, "/contests/cup/")
    assert "Trent T." in client.get("/").content.decode()
    again = Client().post("/accounts/register/", fields)
    assert again.status_code == 200
    assert "already exists" in again.content.decode()


def made_from(address: str, names: list[str]) -> list[int]:
    """The statuses of registering these from there."""
    fields = {"password1": "soundings-7", "password2": "soundings-7"}
    return [
        Client(REMOTE_ADDR=address).post("/accounts/register/", {**fields, "username": name}).status_code
        for name in names
    ]


@pytest.fixture
def two_an_hour(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = replace(settings.FATHOM.limits, address_accounts_per_h=2)
    monkeypatch.setattr(settings, "FATHOM", replace(settings.FATHOM, limits=limits))


@pytest.mark.usefixtures("two_an_hour")
@pytest.mark.parametrize(("first", "next_door"), [("192.0.2.9", "192.0.2.9"), ("2001:db8::1", "2001:db8::ffff:2")])
def test_one_address_makes_only_so_many_accounts_in_an_hour(first: str, next_door: str) -> None:
    assert made_from(first, ["mal", "mal"]) == [303, 200], "a name that is taken is not counted"
    assert made_from(next_door, ["mal2", "mal3"]) == [303, 429]
    assert not User.objects.filter(username="mal3").exists()
    assert made_from("198.51.100.7", ["trent"]) == [303], "others are not concerned"
    cache.clear()  # as after an hour
    assert made_from(first, ["mal3"]) == [303]


@pytest.mark.usefixtures("two_an_hour")
def test_this_machine_makes_as_many_accounts_as_it_likes() -> None:
    assert made_from("127.0.0.1", ["a1", "a2", "a3"]) == [303] * 3


def test_a_name_differing_by_case_only_is_taken_already(alice: User) -> None:
    fields = {"username": "ALICE", "password1": "soundings-7", "password2": "soundings-7"}
    answer = Client().post("/accounts/register/", fields)
    assert answer.status_code == 200
    assert "already exists" in answer.content.decode()


def test_where_registration_is_off_there_is_no_such_page(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "FATHOM", replace(settings.FATHOM, registration=False))
    assert Client().get("/accounts/register/").status_code == 404
    assert "Make an account" not in Client().get("/accounts/login/").content.decode()


def test_times_are_shown_in_the_zone_of_the_profile_then_of_the_browser_then_in_utc(
    contest: Contest, alice: User
) -> None:
    client = entered(alice)
    assert "UTC" in client.get("/").content.decode()
    client.cookies["fathom_tz"] = "Asia/Seoul"
    assert "Asia/Seoul (UTC+09:00)" in client.get("/").content.decode()
    saved = client.post("/accounts/profile/", {"display_name": "Al", "language": "ko", "time_zone": "Europe/Lisbon"})
    assert saved.status_code == 303
    assert "Europe/Lisbon" in client.get("/").content.decode()
    alice.refresh_from_db()
    assert (alice.shown_name, alice.language) == ("Al", "ko")


@pytest.mark.parametrize("zone", ["../../etc/passwd", "Nowhere/None", "<script>"])
def test_a_zone_that_does_not_exist_is_not_believed(db: None, zone: str) -> None:
    client = Client()
    client.cookies["fathom_tz"] = zone
    html = client.get("/").content.decode()
    assert "Times are shown in <span data-zone-name>UTC</span>" in html


def test_a_language_without_a_catalogue_of_ours_does_not_half_translate_the_pages(alice: User) -> None:
    alice.language = "ko"
    alice.save()
    html = entered(alice).post("/accounts/password/", {}).content.decode()
    assert "This field is required." in html


def test_a_refused_profile_does_not_change_the_name_on_the_page(alice: User) -> None:
    answer = entered(alice).post("/accounts/profile/", {"display_name": "Eve", "time_zone": "Nowhere"})
    assert answer.status_code == 200
    assert '<span class="who">alice</span>' in answer.content.decode()


def test_a_new_password_keeps_this_session_and_ends_all_others(alice: User) -> None:
    here, elsewhere = entered(alice), entered(alice)
    fields = {"old_password": "demo-alice", "new_password1": "soundings-7", "new_password2": "soundings-7"}
    assert here.post("/accounts/password/", fields).status_code == 303
    assert here.get("/accounts/profile/").status_code == 200
    assert elsewhere.get("/accounts/profile/").status_code == 302
    alice.refresh_from_db()
    assert alice.rights_version == 1


def test_pages_of_errors_speak_in_words(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = entered(alice).get("/no/such/page/")
    assert missing.status_code == 404
    assert "There is no page at this address." in missing.content.decode()
    monkeypatch.setattr("contest.views.home.contest_list", lambda *_: 1 / 0)
    client = entered(alice, raise_request_exception=False)
    broken = client.get("/")
    assert broken.status_code == 500
    words = broken.content.decode()
    assert "A fault of the site" in words
    assert "ZeroDivisionError" not in words


def test_the_sign_in_page_does_not_lead_to_itself(db: None) -> None:
    page = "/accounts/login/"
    assert f'href="{page}?next=' in Client().get("/").content.decode()
    assert f'href="{page}' not in Client().get(page).content.decode()


@pytest.mark.parametrize("name", ["\u202eecila", "a\u2066b", "Bob\u200b", "a\tb", "\ue000"])
def test_no_name_draws_over_the_rows_of_others(alice: User, name: str) -> None:
    answer = entered(alice).post("/accounts/profile/", {"display_name": name})
    assert answer.status_code == 200
    assert "invisible" in answer.content.decode()
    fields = {"username": "eve", "display_name": name, "password1": "soundings-7", "password2": "soundings-7"}
    assert "invisible" in Client().post("/accounts/register/", fields).content.decode()
    assert not User.objects.filter(username="eve").exists()


def test_names_of_all_scripts_are_names(alice: User) -> None:
    name = "می\u200cخواهم 김 é"
    assert entered(alice).post("/accounts/profile/", {"display_name": name}).status_code == 303
    alice.refresh_from_db()
    assert alice.display_name == name
