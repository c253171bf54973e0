"""What is written about connections, and what never is."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.utils.module_loading import import_string

from contest.models import User
from realtime.clock import now_ms
from realtime.consumers import announcements, base
from realtime.consumers.journal import Journal, masked
from realtime.node.node import Node
from realtime.tests.clients import Client, Sessions, eventually, hello

PATH = "/ws/contests/cup/announcements"


class Lines(logging.Handler):
    """Every line of the process, formatted as the site does it with FATHOM_LOG=json."""

    def __init__(self) -> None:
        super().__init__()
        logging_settings: Any = settings.LOGGING
        made = dict(logging_settings["formatters"]["json"])
        self.setFormatter(import_string(made.pop("()"))(**made))
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(self.format(record))

    def of(self, message: str) -> list[dict[str, Any]]:
        return [line for line in map(json.loads, self.texts) if line["message"] == message]


@pytest.fixture
def lines() -> Iterator[Lines]:
    handler, root = Lines(), logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield handler
    root.removeHandler(handler)
    root.setLevel(level)


async def test_a_connection_is_written_down_with_all_that_is_known_of_it(
    live: Node, sessions: Sessions, alice: User, lines: Lines
) -> None:
    client = await Client(PATH, await sessions.key_of(alice)).live()
    cursor = client.cursor
    again = await Client(PATH, await sessions.key_of(alice)).live(cursor=cursor, cause="probe-timeout", **{"try": 3})
    assert await client.until_closed() == 4103
    await again.leave()
    await eventually(lambda: len(lines.of("ended")) == 2)

    first, second = lines.of("attached")
    common = {"level": "info", "logger": "realtime.connections", "node": settings.FATHOM.node_id}
    about = {"stream": "announcements", "target": "cup", "user": masked("user", alice.pk), "client": "document-1"}
    assert first.items() >= (common | about | {"attempt": 0, "cause": "first", "resumed": False}).items()
    assert second.items() >= (common | about | {"attempt": 3, "cause": "probe-timeout", "resumed": True}).items()
    assert first["session"] == second["session"]
    assert second["cursor"] == {short: topic["seq"] for short, topic in cursor.items()}
    superseded, left = lines.of("ended")
    assert superseded.items() >= (about | {"code": 4103, "attempt": 0}).items()
    assert left.items() >= (about | {"code": None, "attempt": 3}).items()
    assert left["lived_s"] >= 0
    assert set(left["cursor"]) == {"contest", "me"}


async def test_nothing_secret_is_in_the_log_whatever_goes_wrong(
    live: Node, sessions: Sessions, alice: User, lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, text: str, **__: object) -> None:
        raise RuntimeError(
            f'refused\nDETAIL:  Failing row contains (1, {text}).\n{{"token":"sesame-token"}} Cookie: sessionid={key}'
        )

    monkeypatch.setattr(announcements, "ask_clarification", fails)
    key = await sessions.key_of(alice)
    client = Client(PATH, key)
    await client.connect()
    await client.send(hello(cause="first\nforged line", token="sesame-token"))
    await client.until("synced")
    data = {"problem": None, "text": "secret-source"}
    assert (await client.command(1, "ask", data))["error"]["code"] == "failed"
    selftest = await Client("/ws/contests/cup/selftest", key, client="document-2").live()
    await selftest.command(1, "run", {"language": "python", "source": "secret-source", "stdin": "secret-source"})
    await selftest.send('{"type":"command","name":"run","secret-source')
    assert await selftest.until_closed() == 4006
    await client.leave()
    await eventually(lambda: len(lines.of("ended")) == 2)

    (failed,) = lines.of("ask failed")
    assert failed["level"] == "error"
    assert failed["user"] == masked("user", alice.pk)
    assert "RuntimeError: refused" in failed["error"], "the premise: its words are in the line"
    assert {line["cause"] for line in lines.of("attached")} == {"first", "other"}
    everything = "\n".join(lines.texts)
    for secret in (key, "sesame-token", "secret-source", "forged line", settings.SECRET_KEY, alice.username):
        assert secret not in everything, secret


def test_the_mask_of_a_person_is_the_same_always_and_tells_nothing(settings: Any) -> None:
    first = masked("user", 7)
    assert first == masked("user", 7) != masked("user", 8)
    assert masked("session", 7) != first
    settings.SECRET_KEY = "another" * 8
    assert masked("user", 7) != first


async def test_a_herd_is_not_delayed_by_what_is_written_about_it(
    live: Node, sessions: Sessions, alice: User, lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, "journal", Journal(lines_per_s=1))
    key = await sessions.key_of(alice)
    inside = [await Client(PATH, key, client=f"document-{number}").live() for number in range(12)]
    assert len(inside) == 12
    assert len(lines.of("attached")) == 10, "ten seconds' worth"
    now = now_ms()
    monkeypatch.setattr("realtime.consumers.journal.now_ms", lambda: now + 5000)
    inside.append(await Client(PATH, key, client="document-12").live())
    assert lines.of("attached")[-1]["left_out_before"] == 2
