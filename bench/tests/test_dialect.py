"""What the generator must notice as a client: losses, repetitions, questions, and when to acknowledge."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest

from bench.wire.client import Client
from bench.wire.crowd import Crowd, Turn
from bench.wire.fathom import SEEN_AFTER_NS, SEEN_FRAMES, Fathom


class Recorder:
    """Stands for the crowd: keeps what is sent."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.ready_clients: list[Client] = []
        self.turns: list[Turn] = []

    def each_turn(self, turn: Turn) -> None:
        self.turns.append(turn)

    def ready(self, client: Client) -> None:
        self.ready_clients.append(client)

    def send(self, client: Client, payload: bytes) -> bool:
        self.sent.append(payload)
        return True

    def frames(self, kind: str) -> list[Any]:
        return [frame for frame in map(json.loads, self.sent) if frame["type"] == kind]


class Conversation:
    """One client that has said hello."""

    def __init__(self) -> None:
        self.crowd = Recorder()
        self.dialect = Fathom(cast(Crowd, self.crowd))
        self.client = Client(0, self.dialect, "/")
        self.client.sock = cast(Any, object())
        self.client.tries = 1
        self.dialect.on_open(self.client)

    def told(self, frame: dict[str, Any] | str, at_ns: int = 0) -> None:
        text = frame if isinstance(frame, str) else json.dumps(frame, separators=(",", ":"))
        self.dialect.on_text(self.client, text.encode(), at_ns)

    def told_event(self, after: int, seq: int) -> None:
        self.told({"type": "event", "topic": "contest", "after": after, "seq": seq, "name": "x", "data": {}})


@pytest.fixture
def talk() -> Conversation:
    conversation = Conversation()
    conversation.told({"type": "snapshot", "cursor": {"contest": {"epoch": "e", "seq": 5}}, "data": {}})
    conversation.told({"type": "synced", "cursor": {"contest": {"epoch": "e", "seq": 5}}})
    return conversation


def test_a_client_is_ready_once_it_is_synced(talk: Conversation) -> None:
    (hello,) = talk.crowd.frames("hello")
    assert hello["cause"] == "first"
    assert talk.crowd.ready_clients == [talk.client]


def test_events_in_order_are_neither_gap_nor_duplicate(talk: Conversation) -> None:
    talk.told_event(5, 6)
    talk.told_event(6, 9)  # what was left out is named by the number before
    assert (talk.dialect.gaps, talk.dialect.duplicates) == (0, 0)


def test_a_lost_event_shows_as_a_gap_and_a_repeated_one_as_a_duplicate(talk: Conversation) -> None:
    talk.told_event(7, 8)
    assert talk.dialect.gaps == 1
    talk.told_event(7, 8)
    assert talk.dialect.duplicates == 1


def test_a_ping_is_answered_and_takes_no_credit(talk: Conversation) -> None:
    before = talk.client.json_frames
    talk.told("ping")
    assert talk.crowd.sent[-1] == b"pong"
    assert talk.client.json_frames == before


def test_what_was_taken_in_is_acknowledged_every_32_frames(talk: Conversation) -> None:
    for seq in range(6, 6 + SEEN_FRAMES - 2):  # the snapshot and `synced` count, too
        talk.told_event(seq - 1, seq)
    assert [frame["frames"] for frame in talk.crowd.frames("seen")] == [SEEN_FRAMES]


def test_what_waits_is_acknowledged_after_a_second(talk: Conversation) -> None:
    (see,) = talk.crowd.turns
    see(SEEN_AFTER_NS - 1)
    assert talk.crowd.frames("seen") == []
    see(SEEN_AFTER_NS)
    assert [frame["frames"] for frame in talk.crowd.frames("seen")] == [2]
