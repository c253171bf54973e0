"""Signing in leaves nothing behind for ever."""

from __future__ import annotations

from datetime import timedelta

import pytest
from axes.models import AccessLog
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from contest.models import User
from contest.services.sessions import forget_ended_sessions, open_sessions

pytestmark = pytest.mark.django_db


def test_sessions_whose_time_is_over_are_forgotten_and_others_stay(alice: User, bob: User) -> None:
    ended, living = open_sessions([alice, bob])
    Session.objects.filter(pk=ended).update(expire_date=timezone.now() - timedelta(seconds=1))
    assert Session.objects.count() == 2, "the premise: they stay by themselves"
    assert forget_ended_sessions() == 1
    assert [row.pk for row in Session.objects.all()] == [living]


def test_signing_in_and_out_adds_no_row_to_a_log_that_nobody_reads(alice: User) -> None:
    browser = Client()
    browser.post("/accounts/login/", {"username": "alice", "password": "demo-alice"})
    assert "_auth_user_id" in browser.session, "the premise: she is signed in"
    browser.post("/accounts/logout/")
    assert not AccessLog.objects.exists()
