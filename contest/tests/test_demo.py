"""The demo contest is what the contract promises, comes once, and only into an empty site."""

from __future__ import annotations

import io
import stat
import time
from datetime import timedelta
from pathlib import Path
from unittest import mock

import pytest
from django.contrib.auth import get_user
from django.contrib.sessions.backends.db import SessionStore
from django.core.management import CommandError, call_command
from django.test import RequestFactory
from django.utils import timezone
from pytest_django import Settings

from contest.access import is_operator, rights_in
from contest.models import Contest, Package, Participation, Record, User
from contest.services.demo import add_contestants, load_demo

pytestmark = pytest.mark.django_db


def test_it_is_running_for_five_hours_with_its_problems_and_people() -> None:
    demo = load_demo()
    assert demo.slug == "demo"
    assert demo.ends_at - demo.starts_at == timedelta(hours=5)
    assert abs(demo.starts_at - timezone.now()) < timedelta(seconds=60)
    assert demo.scoring == Contest.Scoring.ICPC
    assert [problem.label for problem in demo.problems.filter(is_draft=False)] == ["A", "B", "C", "D", "E"]
    rights = {user.username: rights_in(demo, user) for user in User.objects.all()}
    assert {name for name, right in rights.items() if right.is_registered} == {"alice", "bob", "carol"}
    assert {name for name, right in rights.items() if right.is_staff} == {"grace", "admin"}
    assert {user.username for user in User.objects.all() if is_operator(user)} == {"olga", "admin"}
    assert not rights["mallory"].may_see_problems
    for user in User.objects.all():
        assert user.check_password(f"demo-{user.username}")
    assert not Record.objects.exists(), "nothing stands in the way of the first submission"


def test_loading_it_again_changes_nothing() -> None:
    first = load_demo()
    before = (User.objects.count(), Package.objects.count())
    assert load_demo() == first
    assert (User.objects.count(), Package.objects.count()) == before


def test_it_never_comes_into_a_site_with_data(mallory: User) -> None:
    with pytest.raises(CommandError, match="empty site only"):
        call_command("demo")
    assert not Contest.objects.exists()
    assert list(User.objects.all()) == [mallory]


@pytest.mark.slow
def test_a_thousand_contestants_take_little_time_and_can_sign_in(settings: Settings) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.PBKDF2PasswordHasher"]
    demo = load_demo()
    started = time.monotonic()
    users = add_contestants(demo, 1000)
    assert time.monotonic() - started < 10
    assert [users[0].username, users[-1].username] == ["c00001", "c01000"]
    assert Participation.objects.filter(contest=demo).count() == 1003
    assert users[41].check_password("demo-c00042")
    assert not users[41].check_password("demo-c00043")


def test_more_contestants_are_added_to_those_who_are_there() -> None:
    demo = load_demo()
    first = add_contestants(demo, 3)
    Participation.objects.filter(user=first[0]).update(state=Participation.State.BANNED)
    again = add_contestants(demo, 5)
    assert again[:3] == first
    assert Participation.objects.get(user=first[0]).state == Participation.State.BANNED, "a ban stays"


def test_sessions_are_signed_in_and_private(tmp_path: Path) -> None:
    path = tmp_path / "sessions"
    path.write_text("old\n" * 100)
    output = io.StringIO()
    call_command("demo", "--contestants", "3", "--sessions-file", str(path), stdout=output)
    assert "3 signed-in sessions" in output.getvalue()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    keys = path.read_text().splitlines()
    assert len(set(keys)) == 3
    for number, key in enumerate(keys, start=1):
        request = RequestFactory().get("/")
        request.session = SessionStore(key)
        assert get_user(request).get_username() == f"c{number:05}"


def test_two_nodes_that_start_at_once_load_it_once() -> None:
    """What this node looked at was older than what the other one committed."""
    of_the_other = load_demo()
    before = User.objects.count()
    look = mock.patch("contest.services.demo._find", side_effect=[None, of_the_other])
    with look as looks, mock.patch("contest.services.demo.is_empty_site", return_value=True):
        assert load_demo() == of_the_other
    assert looks.call_count == 2, "the premise: the first look found nothing, and building failed"
    assert User.objects.count() == before
