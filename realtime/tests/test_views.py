"""Health, readiness and measurements over HTTP."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import pytest
from django.db import DatabaseError
from django.test import Client

from realtime import views


def test_health_needs_nobody_signed_in_and_no_database() -> None:
    assert Client().get("/healthz").content == b"ok\n"


def test_ready_while_the_database_answers(db: None) -> None:
    assert Client().get("/readyz").status_code == 200


def test_not_ready_while_draining(db: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(views, "is_draining", lambda: True)
    assert Client().get("/readyz").status_code == 503
    assert not caplog.records, "a load balancer asks every few seconds"


def test_not_ready_while_the_database_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    class Away:
        def cursor(self) -> None:
            raise DatabaseError

    monkeypatch.setattr(views, "connection", Away())
    assert Client().get("/readyz").status_code == 503


def test_not_ready_while_the_database_hangs(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    go, asked = threading.Event(), []

    def hang() -> None:
        asked.append(1)
        assert go.wait(10)

    monkeypatch.setattr(views, "ANSWER_S", 0.05)
    monkeypatch.setattr(views, "_say_one", hang)
    try:
        assert [Client().get("/readyz").status_code for _ in range(3)] == [503, 503, 503]
        assert asked == [1], "they wait for the same answer"
    finally:
        go.set()
    monkeypatch.undo()
    assert Client().get("/readyz").status_code == 200


def test_measurements_are_read_from_this_machine_only() -> None:
    browser = Client()
    assert b"fathom_connections" in browser.get("/metrics").content
    assert browser.get("/metrics", REMOTE_ADDR="192.0.2.1").status_code == 403


@pytest.mark.parametrize(
    "header",
    ["X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "Forwarded", "Via", "X-Real-IP", "x-client-ip"],
)
def test_a_proxy_on_this_machine_hands_no_measurements_on(header: str) -> None:
    assert Client().get("/metrics").status_code == 200, "the premise: it is the header"
    assert Client().get("/metrics", headers={header: "127.0.0.1"}).status_code == 403


def test_measurements_with_a_token(settings: Any) -> None:
    settings.FATHOM = replace(settings.FATHOM, metrics_token="t" * 20)
    browser = Client()
    assert browser.get("/metrics").status_code == 403
    assert browser.get("/metrics", headers={"Authorization": "Bearer wrong"}).status_code == 403
    assert browser.get("/metrics", headers={"Authorization": f"Bearer {'t' * 20}"}).status_code == 200
