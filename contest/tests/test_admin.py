"""The administration changes nothing behind the back of open pages."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.test import Client

from contest import events
from contest.access import rights_in
from contest.models import Contest, Notice, Participation, Record, User
from contest.services.notices import post_notice
from contest.services.records import submit
from contest.services.schedule import extend
from contest.tests.people import entered

pytestmark = pytest.mark.django_db


@pytest.fixture
def root(db: None) -> Client:
    return entered(User.objects.create_superuser("root"))


def change_contest(root: Client, contest: Contest, **changes: object) -> None:
    """Send the contest's form as a browser would, with `changes`."""
    path = f"/admin/contest/contest/{contest.pk}/change/"
    fields: dict[str, object] = {}
    for name, value in root.get(path).context["adminform"].form.initial.items():
        if name in ("starts_at", "ends_at", "freeze_at", "unfrozen_at", "archived_at"):
            fields[f"{name}_0"] = f"{value:%Y-%m-%d}" if value else ""
            fields[f"{name}_1"] = f"{value:%H:%M:%S}" if value else ""
        elif value not in (None, False):
            fields[name] = value
    fields |= {"jurymembership_set-TOTAL_FORMS": "0", "jurymembership_set-INITIAL_FORMS": "0"}
    answer = root.post(path, {**fields, **changes})
    assert answer.status_code == 302, answer.context["adminform"].form.errors


def test_every_page_of_the_administration_opens_for_an_admin(root: Client, contest: Contest, alice: User) -> None:
    for model in admin.site._registry:
        path = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        assert root.get(path).status_code == 200, path
    assert root.get(f"/admin/contest/user/{alice.pk}/change/").status_code == 200
    assert root.get(f"/admin/contest/contest/{contest.pk}/change/").status_code == 200


def test_nobody_else_enters(contest: Contest, alice: User, grace: User, olga: User) -> None:
    assert {entered(user).get("/admin/").status_code for user in (alice, grace, olga, None)} == {302}


def test_what_services_guard_is_read_only(root: Client, contest: Contest, alice: User, grace: User) -> None:
    notice = post_notice(contest, grace, title="t", body="b")
    record = submit(contest.problems.get(), alice, language="c", source="x")
    for guarded in (notice, record, Participation.objects.get(user=alice)):
        path = f"/admin/contest/{guarded._meta.model_name}"
        assert root.get(f"{path}/{guarded.pk}/change/").status_code == 200, "it can be looked at"
        assert root.get(f"{path}/add/").status_code == 403
        assert root.post(f"{path}/{guarded.pk}/change/", {}).status_code == 403
        assert root.post(f"{path}/{guarded.pk}/delete/", {"post": "yes"}).status_code == 403
    assert (Notice.objects.count(), Record.objects.count(), Participation.objects.count()) == (1, 1, 1)


def test_a_contest_changed_here_is_told_with_a_new_version(
    root: Client, contest: Contest, told: list[events.Event]
) -> None:
    change_contest(root, contest, title="Grand Cup")
    contest.refresh_from_db()
    assert (contest.title, contest.version) == ("Grand Cup", 2)
    assert [type(event).__name__ for event in told] == ["ContestChanged", "StandingsChanged"]


def test_who_joins_the_jury_here_is_staff_at_once(root: Client, contest: Contest, mallory: User) -> None:
    joins = {"jurymembership_set-TOTAL_FORMS": "1", "jurymembership_set-0-user": mallory.pk}
    change_contest(root, contest, **joins, **{"jurymembership_set-0-contest": contest.pk})
    assert rights_in(contest, mallory).is_staff


def test_an_old_form_does_not_write_old_times_back(root: Client, contest: Contest, grace: User) -> None:
    extended = extend(contest, grace, 15)
    change_contest(root, contest, title="Grand Cup", ends_at_0="2020-01-01", ends_at_1="00:00:00")
    contest.refresh_from_db()
    assert (contest.title, contest.ends_at) == ("Grand Cup", extended.ends_at)
    assert contest.audit.latest("pk").words == "Changed the settings: title."


def test_a_password_set_by_an_admin_makes_old_tokens_worthless(root: Client, alice: User) -> None:
    fields = {"password1": "soundings-7", "password2": "soundings-7", "usable_password": "true"}
    assert root.post(f"/admin/contest/user/{alice.pk}/password/", fields).status_code == 302
    alice.refresh_from_db()
    assert alice.rights_version == 1


@pytest.mark.parametrize(
    ("ends", "freeze", "words"),
    [("09:00:00", "", "The end must come after the start."), ("15:00:00", "16:00:00", "The freeze must lie between")],
)
def test_a_contest_with_impossible_times_is_refused_in_words(root: Client, ends: str, freeze: str, words: str) -> None:
    day = "2030-01-01"
    fields = {
        "title": "Regatta", "slug": "regatta", "scoring": "icpc", "feedback": "full", "visibility": "public",
        "penalty_minutes": "20", "starts_at_0": day, "starts_at_1": "10:00:00", "ends_at_0": day, "ends_at_1": ends,
        "freeze_at_0": day if freeze else "", "freeze_at_1": freeze,
        "jurymembership_set-TOTAL_FORMS": "0", "jurymembership_set-INITIAL_FORMS": "0",
    }  # fmt: skip
    answer = root.post("/admin/contest/contest/add/", fields)
    assert words in answer.content.decode()
    assert "Constraint" not in answer.content.decode()
    assert not Contest.objects.exists()
