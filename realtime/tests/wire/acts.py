"""What takes somebody's rights away, done on the stage: in another process than the one that holds the connections."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

OPEN_SLUG = "over"


def _contest(slug: str = "wire") -> Any:
    from contest.models import Contest

    return Contest.objects.get(slug=slug)


def _user(username: str) -> Any:
    from contest.models import User

    return User.objects.get(username=username)


def register(username: str) -> list[Any]:
    """A new contestant: [session cookie, None]."""
    from django.utils import timezone

    from contest.models import Participation, User
    from contest.services.sessions import open_sessions

    user = User.objects.create(username=username)
    Participation.objects.create(contest=_contest(), user=user, registered_at=timezone.now())
    return [*open_sessions([user]), None]


def enroll(username: str) -> list[Any]:
    """A new contestant with a record: [session cookie, number of the record]."""
    from realtime.tests.wire.stage import submit

    session, _ = register(username)
    record = submit(username)
    _reopen(record)
    return [session, record]


def _reopen(record_id: int) -> None:
    """Being judged: its stream does not end by itself."""
    from contest.models import Record

    Record.objects.filter(pk=record_id).update(status="running", verdict="", judged_at=None)


def appoint(username: str) -> list[Any]:
    """A new juror: [session cookie, number of somebody's record]."""
    from contest.models import JuryMembership, Record, User
    from contest.services.sessions import open_sessions

    user = User.objects.create(username=username)
    JuryMembership.objects.create(contest=_contest(), user=user)
    return [*open_sessions([user]), Record.objects.filter(contest=_contest(), status="running").latest("pk").pk]


def visit(username: str) -> list[Any]:
    """Somebody who takes no part, and a record of a public contest that is over: [session cookie, number]."""
    from datetime import timedelta

    from django.utils import timezone

    from contest.models import Contest, Participation, Problem, Record, User
    from contest.services.sessions import open_sessions

    now = timezone.now()
    times = {"starts_at": now - timedelta(hours=2), "ends_at": now - timedelta(hours=1)}
    contest = Contest.objects.create(slug=OPEN_SLUG, title="Over", records_open_after_end=True, **times)
    running = Record.objects.filter(contest=_contest(), status="running").latest("pk")
    assert running.user is not None
    Participation.objects.create(contest=contest, user=running.user, registered_at=now)
    problem = Problem.objects.create(contest=contest, label="A", title="Sum", is_draft=False)
    running.pk, running.contest, running.problem = None, contest, problem
    running.participation = Participation.objects.get(contest=contest)
    running.save()
    return [*open_sessions([User.objects.create(username=username)]), running.pk]


def ban(username: str) -> None:
    from contest.services import registration

    registration.ban(_contest(), _user(username), _user("grace"))


def remove(username: str) -> None:
    from contest.services import registration

    registration.remove(_contest(), _user(username), _user("grace"))


def sign_out(username: str) -> None:
    """As the page does it, for the only session of this person."""
    from django.contrib.auth import logout
    from django.contrib.sessions.backends.db import SessionStore
    from django.contrib.sessions.models import Session
    from django.http import HttpRequest

    user = _user(username)
    (key,) = [each.pk for each in Session.objects.all() if each.get_decoded().get("_auth_user_id") == str(user.pk)]
    request = HttpRequest()
    request.session = SessionStore(key)
    request.user = user
    logout(request)


def change_password(username: str) -> None:
    from contest.services import accounts

    accounts.change_password(_user(username), "soundings-7")


def dismiss(username: str) -> None:
    from contest.models import JuryMembership

    JuryMembership.objects.get(user__username=username).delete()


def make_private(username: str) -> None:
    from contest.services.settings import set_visibility

    set_visibility(_contest(OPEN_SLUG), _admin(), "private")


def _admin() -> Any:
    from contest.models import User

    return User.objects.get_or_create(username="root", defaults={"is_superuser": True})[0]


FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        *(register, enroll, appoint, visit),
        *(ban, remove, sign_out, change_password, dismiss, make_private),
    )
}
