"""Whoever changes somebody's rights, and by whatever door: the topic `rights` is told, and told once."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth import login
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.http import HttpRequest
from django.test import Client as Browser
from django.utils import timezone

from contest.models import Contest, JuryMembership, Participation, User
from contest.services import accounts, registration
from contest.services.schedule import grant_extra_time
from realtime.entry.sessions import digest
from realtime.log.topics import RIGHTS
from realtime.models import LogEvent

pytestmark = pytest.mark.django_db(transaction=True)  # events are written when a transaction ends

BACKEND = "django.contrib.auth.backends.ModelBackend"


class Told:
    """What was appended to `rights` since the last question."""

    def __init__(self) -> None:
        self._seen = 0
        self.since()

    def since(self) -> list[dict[str, Any]]:
        found = LogEvent.objects.filter(topic__key=RIGHTS, seq__gt=self._seen).order_by("seq")
        self._seen = max((event.seq for event in found), default=self._seen)
        return [json.loads(event.data) for event in found]


@pytest.fixture
def root(db: None) -> Browser:
    browser = Browser()
    browser.force_login(User.objects.create_superuser("root"), backend=BACKEND)
    return browser


def membership(user: User, contest: Contest) -> dict[str, Any]:
    return {"user": user.pk, "contest": contest.pk, "reason": "membership"}


def account(user: User) -> dict[str, Any]:
    return {"user": user.pk, "contest": None, "reason": "account"}


def test_each_service_that_takes_or_gives_rights_is_told_once(
    contest: Contest, alice: User, bob: User, grace: User
) -> None:
    told = Told()
    registration.ban(contest, alice, grace)
    assert told.since() == [membership(alice, contest)]
    registration.ban(contest, alice, grace)
    assert told.since() == [], "banning twice is banning once"
    registration.readmit(contest, alice, grace)
    assert told.since() == [membership(alice, contest)]
    registration.remove(contest, bob, grace)
    assert told.since() == [membership(bob, contest)]
    accounts.change_password(alice, "soundings-7")
    assert told.since() == [account(alice)]


def test_who_registers_costs_no_event_and_who_is_banned_without_having_registered_does(
    contest: Contest, alice: User, mallory: User, grace: User
) -> None:
    told = Told()
    registration.register(contest, mallory)
    assert told.since() == []
    registration.remove(contest, mallory, grace)
    told.since()
    registration.ban(contest, mallory, grace)
    assert not Participation.objects.filter(user=mallory, state="registered").exists()
    assert told.since() == [membership(mallory, contest)], "a record that is open to all may be open on the screen"


def test_signing_out_by_the_pages_form_tells_that_session_alone(contest: Contest, alice: User) -> None:
    here, elsewhere = Browser(), Browser()
    for browser in (here, elsewhere):
        browser.force_login(alice, backend=BACKEND)
    key = here.cookies["sessionid"].value
    told = Told()
    assert here.post("/accounts/logout/").status_code == 303
    assert told.since() == [{"session": digest(key)}]
    assert Session.objects.count() == 1


def test_signing_in_and_the_cleaning_up_of_old_sessions_tell_nothing(contest: Contest, alice: User) -> None:
    told = Told()
    request = HttpRequest()
    request.session = SessionStore()
    login(request, alice, backend=BACKEND)
    request.session.save()
    Session.objects.update(expire_date=timezone.now())
    Session.objects.all().delete()
    assert told.since() == []


def test_each_change_of_a_participation_is_told_once(contest: Contest, alice: User, bob: User, grace: User) -> None:
    told = Told()
    registration.ban(contest, alice, grace)
    assert told.since() == [membership(alice, contest)]
    grant_extra_time(contest.participations.get(user=bob), grace, 60, "r")
    assert told.since() == [membership(bob, contest)]
    registration.remove(contest, bob, grace)
    assert told.since() == [membership(bob, contest)]


def test_the_administration_tells_an_account_once(root: Browser, alice: User) -> None:
    told = Told()
    fields = {"password1": "soundings-7", "password2": "soundings-7", "usable_password": "true"}
    assert root.post(f"/admin/contest/user/{alice.pk}/password/", fields).status_code == 302
    of_people = [each for each in told.since() if "user" in each]  # Django also gives the admin a new session
    assert of_people == [account(alice)]


def test_memberships_of_the_jury_and_accounts_that_go_are_told_whoever_removes_them(
    contest: Contest, mallory: User
) -> None:
    told = Told()
    joined = JuryMembership.objects.create(contest=contest, user=mallory)
    assert told.since() == [membership(mallory, contest)]
    joined.delete()
    assert told.since() == [membership(mallory, contest)]
    gone = account(mallory)
    mallory.delete()
    assert told.since() == [gone]
