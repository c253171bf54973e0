"""Log lines for people and for machines."""

from __future__ import annotations

import json
import logging

from config.log_lines import Calm, JsonLines, TextLines, without_secrets


def record(message: str, *arguments: object, **facts: object) -> logging.LogRecord:
    made = logging.LogRecord("realtime", logging.WARNING, "f.py", 1, message, arguments, None)
    made.fathom = facts
    return made


def test_a_line_for_machines_is_one_object_with_the_facts_beside_the_words() -> None:
    line = json.loads(JsonLines("n1").format(record("it is %s\nor so", "late", stream="timer", cursor={"me": 4})))
    assert line.pop("time").endswith("+00:00")
    assert line == {
        "level": "warning",
        "logger": "realtime",
        "node": "n1",
        "message": "it is late\nor so",
        "stream": "timer",
        "cursor": {"me": 4},
    }


def test_a_traceback_stays_in_its_line() -> None:
    try:
        raise ValueError("half a\nword")
    except ValueError as error:
        failed = record("failed")
        failed.exc_info = (ValueError, error, error.__traceback__)
    text = JsonLines("n1").format(failed)
    assert "\n" not in text
    assert json.loads(text)["error"].endswith("ValueError: half a\nword")
    assert "Traceback" in TextLines("n1").format(failed)


def test_a_line_for_people_ends_with_the_facts() -> None:
    assert TextLines("n1").format(record("ended", code=4102)).endswith("WARNING realtime ended code=4102")


def test_secrets_are_cut_out_wherever_they_come_from() -> None:
    for text in (
        "Cookie: sessionid=s3cret",
        "cookie sessionid=s3cret; csrftoken=s3cret",
        "Authorization: Bearer s3cret",
        '{"type":"hello","token":"s3cret"}',
        "postgres said\nDETAIL:  Failing row contains (s3cret, s3cret).",
        "GET /?token=s3cret&x=1",
    ):
        assert "s3cret" not in without_secrets(text), text
    assert without_secrets("its tokens and cookies") == "its tokens and cookies"


def test_what_a_client_did_wrong_is_one_line_without_a_traceback() -> None:
    lines = []
    for name in ("django.security.SuspiciousOperation", "realtime"):
        failed = record("a zero byte in the address")
        failed.name, failed.exc_info = name, (ValueError, ValueError(), None)
        assert Calm().filter(failed)
        lines.append(json.loads(JsonLines("n1").format(failed)))
    assert [("error" in line, line["logger"]) for line in lines] == [
        (False, "django.security.SuspiciousOperation"),
        (True, "realtime"),
    ]
