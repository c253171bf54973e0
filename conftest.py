"""Fixtures that every Python test may use: the people of the demo contest and a running contest."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.test import TransactionTestCase
from django.utils import timezone
from pytest_django import Settings

from contest import events
from contest.models import Contest, JuryMembership, Package, PackageTest, Participation, Problem, User
from contest.services.blobs import store_bytes
from contest.services.demo import password_of
from tools.emptying import empty_databases


@pytest.fixture(autouse=True)
def plain_static_files(settings: Settings) -> None:
    """Templates render without a collected manifest, and passwords cost no time."""
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(scope="session", autouse=True)
def quick_emptying() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", empty_databases)
        yield


def make_user(username: str, **fields: object) -> User:
    user = User(username=username, **fields)
    user.set_password(password_of(username))
    user.save()
    return user


@pytest.fixture
def contest(db: None) -> Contest:
    """Running since an hour, four hours to go, with problem A of one sample and one secret case."""
    now = timezone.now()
    contest = Contest.objects.create(
        slug="cup", title="Cup", starts_at=now - timedelta(hours=1), ends_at=now + timedelta(hours=4)
    )
    problem = Problem.objects.create(contest=contest, label="A", title="Sum", is_draft=False)
    package = Package.objects.create(
        problem=problem,
        version=1,
        source_format="2023-07",
        sha256="0" * 64,
        imported_at=now,
        statements={"en": "Add $a$ and $b$."},
        time_limit_ms=1000,
        memory_limit_kb=262144,
    )
    for index, (given, answer) in enumerate([(b"1 2\n", b"3\n"), (b"20 22\n", b"42\n")], start=1):
        blobs = {"input_id": store_bytes(given), "answer_id": store_bytes(answer)}
        PackageTest.objects.create(package=package, index=index, name=f"{index}", is_sample=index == 1, **blobs)
    problem.package = package
    problem.save()
    return contest


def _contestant(contest: Contest, username: str) -> User:
    user = make_user(username)
    Participation.objects.create(contest=contest, user=user, registered_at=timezone.now())
    return user


@pytest.fixture
def alice(contest: Contest) -> User:
    return _contestant(contest, "alice")


@pytest.fixture
def bob(contest: Contest) -> User:
    return _contestant(contest, "bob")


@pytest.fixture
def mallory(db: None) -> User:
    """Signed in, but not registered for anything."""
    return make_user("mallory")


@pytest.fixture
def grace(contest: Contest) -> User:
    user = make_user("grace")
    JuryMembership.objects.create(contest=contest, user=user)
    return user


@pytest.fixture
def olga(db: None) -> User:
    return make_user("olga", is_operator=True)


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[events.Event]:
    """What was published, in order, and to nobody else."""
    published: list[events.Event] = []
    monkeypatch.setattr(events, "_subscribers", [published.append])
    return published
