"""Wrong passwords do not take all cores."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from axes.models import AccessAttempt
from django.conf import settings
from django.contrib.auth.hashers import PBKDF2PasswordHasher, check_password, make_password
from django.test import Client

from contest import hashing
from contest.models import User

TURNS = 2


@pytest.fixture(autouse=True)
def as_on_the_site(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.PASSWORD_HASHERS = ["contest.hashing.BoundedPBKDF2PasswordHasher"]
    monkeypatch.setattr(PBKDF2PasswordHasher, "iterations", 1)
    monkeypatch.setattr(hashing, "_turns", threading.BoundedSemaphore(TURNS))
    monkeypatch.setattr(hashing, "WAIT_S", 0.05)


@contextmanager
def all_turns_taken() -> Iterator[None]:
    """Attackers hash in all places."""
    for _ in range(TURNS):
        assert hashing._turns.acquire(timeout=0)
    yield
    for _ in range(TURNS):
        hashing._turns.release()


def test_no_more_than_so_many_passwords_are_hashed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hashing, "WAIT_S", 20)
    lock, now, most = threading.Lock(), 0, 0

    def encode(*_: object) -> str:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.02)  # so that all the others come meanwhile
        with lock:
            now -= 1
        return "hash"

    monkeypatch.setattr(PBKDF2PasswordHasher, "encode", encode)
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(make_password, ["wrong"] * 16)) == ["hash"] * 16
    assert most == TURNS


def test_hashes_are_djangos_own() -> None:
    hashed = PBKDF2PasswordHasher().encode("soundings-7", "salt")
    assert check_password("soundings-7", hashed)
    assert not check_password("soundings-8", hashed)


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["alice", "nobody"])
def test_who_waits_in_vain_is_told_so_and_has_used_up_no_attempt(alice: User, name: str) -> None:
    fields = {"username": name, "password": "demo-alice"}
    with all_turns_taken():
        for _ in range(settings.AXES_FAILURE_LIMIT + 1):
            answer = Client().post("/accounts/login/", fields)
        assert Client().get("/accounts/login/").status_code == 200, "all else is served"
    assert answer.status_code == 503
    assert answer["Retry-After"] == "10"
    assert "try again in a few seconds" in answer.content.decode()
    assert not AccessAttempt.objects.exists()
    assert Client().post("/accounts/login/", fields).status_code == (302 if name == "alice" else 200)


@pytest.mark.django_db
def test_an_account_that_cannot_be_made_now_is_not_made() -> None:
    fields = {"username": "trent", "password1": "soundings-7", "password2": "soundings-7"}
    with all_turns_taken():
        assert Client().post("/accounts/register/", fields).status_code == 503
    assert not User.objects.filter(username="trent").exists()
