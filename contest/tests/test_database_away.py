"""The database is away while a page is asked for or a form is sent: said in words, and never more than is true."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.db import InterfaceError, OperationalError, connection
from django.test import Client as Browser

from contest.models import Contest, Record, User
from contest.views import errors

pytestmark = pytest.mark.django_db(transaction=True)

FORM = {"language": "python", "source": "print(3)", "form_key": "a-form"}


@pytest.fixture
def browser(alice: User) -> Browser:
    browser = Browser(raise_request_exception=False)
    browser.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
    return browser


class Away:
    """Refuses statements that begin so, as a driver does whose connection is gone."""

    def __init__(self, error: type[Exception], begins: str = "") -> None:
        self.error, self.begins, self.refused = error, begins, 0

    def __call__(self, execute: Callable[..., object], sql: str, params: object, many: bool, context: object) -> object:
        if sql.startswith(self.begins):
            self.refused += 1
            raise self.error("the connection is lost")
        return execute(sql, params, many, context)


@pytest.mark.parametrize("error", [OperationalError, InterfaceError])
def test_a_page_says_that_the_database_is_away_and_when_to_come_back(
    contest: Contest, browser: Browser, error: type[Exception]
) -> None:
    away = Away(error)
    with connection.execute_wrapper(away):
        told = browser.get("/contests/cup/")
    assert away.refused
    assert (told.status_code, told["Retry-After"], told["Cache-Control"]) == (503, "5", "no-store")
    page = told.content.decode()
    assert "The site cannot reach its database. Nothing you sent was stored; try again in a few seconds." in page
    assert "Traceback" not in page
    assert browser.get("/contests/cup/").status_code == 200, "it is back"


@pytest.mark.parametrize("headers", [{"Accept": "application/json"}, {"Content-Type": "application/json"}])
def test_who_speaks_json_is_told_in_json(contest: Contest, browser: Browser, headers: dict[str, str]) -> None:
    with connection.execute_wrapper(Away(OperationalError)):
        told = browser.get("/contests/cup/", headers=headers)
    assert (told.status_code, told["Retry-After"]) == (503, "5")
    assert told.json() == {"error": {"code": "unavailable", "message": errors.NOTHING_STORED, "retry_after_ms": 5000}}


def test_a_form_that_met_no_database_is_said_not_to_be_stored_and_is_not(contest: Contest, browser: Browser) -> None:
    with connection.execute_wrapper(Away(OperationalError)):
        told = browser.post("/contests/cup/problems/A/submit/", FORM)
    assert told.status_code == 503
    assert errors.NOTHING_STORED in told.content.decode()
    assert not Record.objects.exists()


def test_a_form_that_was_being_stored_is_not_said_to_be_lost(contest: Contest, browser: Browser) -> None:
    away = Away(OperationalError, 'UPDATE "contest_contest"')  # its last statement
    with connection.execute_wrapper(away):
        told = browser.post("/contests/cup/problems/A/submit/", FORM)
    assert (away.refused, told.status_code) == (1, 503)
    assert errors.MAYBE_STORED in told.content.decode()


def test_a_wrong_statement_is_a_fault_and_not_a_database_that_is_away(
    contest: Contest, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(*_: object) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT nothing FROM nowhere")

    monkeypatch.setattr(SessionStore, "load", wrong)
    told = browser.get("/contests/cup/")
    assert told.status_code == 500
    assert "A fault of the site" in told.content.decode()
