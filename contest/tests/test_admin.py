"""The administration changes nothing behind the back of open pages."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.test import Client

from contest import events
from contest.models import Contest, Notice, Record, User
from contest.services.notices import post_notice
from contest.tests.people import entered

pytestmark = pytest.mark.django_db


@pytest.fixture
def root(db: None) -> Client:
    return entered(User.objects.create_superuser("root"))


def test_every_page_of_the_administration_opens_for_an_admin(root: Client, contest: Contest, alice: User) -> None:
    for model in admin.site._registry:
        path = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        assert root.get(path).status_code == 200, path
    assert root.get(f"/admin/contest/user/{alice.pk}/change/").status_code == 200
    assert root.get(f"/admin/contest/contest/{contest.pk}/change/").status_code == 200


def test_nobody_else_enters(contest: Contest, alice: User, grace: User, olga: User) -> None:
    assert {entered(user).get("/admin/").status_code for user in (alice, grace, olga, None)} == {302}


def test_what_services_guard_is_read_only(root: Client, contest: Contest, grace: User) -> None:
    notice = post_notice(contest, grace, title="t", body="b")
    for model, pk in ((Notice, notice.pk), (Record, 1)):
        path = f"/admin/contest/{model._meta.model_name}"
        assert root.get(f"{path}/add/").status_code == 403
        assert root.post(f"{path}/{pk}/delete/", {"post": "yes"}).status_code in (302, 403)
    assert Notice.objects.filter(pk=notice.pk).exists()


def test_a_contest_changed_here_is_told_with_a_new_version(
    root: Client, contest: Contest, told: list[events.Event]
) -> None:
    page = root.get(f"/admin/contest/contest/{contest.pk}/change/")
    form = page.context["adminform"].form
    fields: dict[str, object] = {}
    for name, value in form.initial.items():
        if name in ("starts_at", "ends_at", "freeze_at", "unfrozen_at", "archived_at"):
            fields[f"{name}_0"] = f"{value:%Y-%m-%d}" if value else ""
            fields[f"{name}_1"] = f"{value:%H:%M:%S}" if value else ""
        elif value not in (None, False):
            fields[name] = value
    fields |= {"title": "Grand Cup", "jurymembership_set-TOTAL_FORMS": "0", "jurymembership_set-INITIAL_FORMS": "0"}
    answer = root.post(f"/admin/contest/contest/{contest.pk}/change/", fields)
    assert answer.status_code == 302, answer.context["adminform"].form.errors
    contest.refresh_from_db()
    assert (contest.title, contest.version) == ("Grand Cup", 2)
    assert [type(event).__name__ for event in told] == ["ContestChanged", "StandingsChanged"]


def test_a_password_set_by_an_admin_ends_the_persons_connections(
    root: Client, alice: User, told: list[events.Event]
) -> None:
    fields = {"password1": "soundings-7", "password2": "soundings-7", "usable_password": "true"}
    assert root.post(f"/admin/contest/user/{alice.pk}/password/", fields).status_code == 302
    assert told == [events.RightsChanged(alice.pk, None, "password")]
