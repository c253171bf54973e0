"""The wire contract as pure functions, and the golden frames that tie both ends together."""

from __future__ import annotations

import json
import os
import timeit
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from realtime.consumers import announcements, record, records, selftest, timer
from realtime.tests import golden
from realtime.wire import frames, protocol
from realtime.wire.protocol import CloseCode, Command, Cursor, Hello, Malformed, Seen, parse

STREAMS = (
    announcements.Announcements,
    records.Records,
    record.OneRecord,
    selftest.SelfTest,
    timer.Timer,
)


def test_the_golden_frames_are_what_the_builders_make_today() -> None:
    if os.environ.get("FATHOM_TEST_WRITE_GOLDEN") == "1":
        golden.PATH.write_text(golden.as_text())
    assert golden.PATH.read_text() == golden.as_text(), "write them anew with FATHOM_TEST_WRITE_GOLDEN=1"


def test_every_golden_client_frame_is_taken() -> None:
    handlers = {name: handler for stream in STREAMS for name, handler in stream.commands.items()}
    for text in golden.golden()["client"].values():
        frame = parse(text)
        if isinstance(frame, Command):
            handlers[frame.name].read(frame.data)


def test_no_malformed_golden_frame_is_taken() -> None:
    for text in golden.golden()["malformed"]:
        with pytest.raises(Malformed):
            parse(text)


def test_the_server_closes_with_nothing_that_a_server_program_cannot_send() -> None:
    assert all(code == 1000 or 4000 <= code <= 4999 for code in CloseCode)


def test_a_hello_with_all_its_fields() -> None:
    hello = parse(golden.golden()["client"]["hello with a cursor"])
    assert isinstance(hello, Hello)
    assert hello.cursor == {"contest": Cursor("5f0c", 131), "me": Cursor("5f0c", 4)}
    assert (hello.attempt, hello.cause, hello.gap_ms, hello.stats["rtt_ms"], hello.token) == (
        2,
        "close",
        900,
        41,
        "abc.def",
    )


def test_a_cause_that_is_not_of_the_protocol_is_another_one_and_none_stays_none() -> None:
    stated: tuple[dict[str, str], ...] = {"cause": "offline"}, {"cause": "x" * 40}, {}
    assert [_hello(**each).cause for each in stated] == ["offline", "other", ""]


def _hello(**more: Any) -> Hello:
    hello = parse(json.dumps({"type": "hello", "protocol": 1, "client": "d41d"} | more))
    assert isinstance(hello, Hello)
    return hello


NUL = "a\0b"


def test_no_text_that_reaches_a_database_unseen_holds_a_nul() -> None:
    cursor = {"contest": {"epoch": NUL, "seq": 1}}
    for hello in ({"cause": NUL}, {"token": NUL}, {"client": NUL}, {"cursor": cursor}):
        with pytest.raises(Malformed):
            _hello(**hello)
    handlers = {name: handler for stream in STREAMS for name, handler in stream.commands.items()}
    for name, data in {
        "ask": {"problem": NUL, "text": "?"},
        "run": {"language": NUL, "source": "", "stdin": ""},
    }.items():
        with pytest.raises(Malformed, match="NUL"):
            handlers[name].read(data)


def test_no_hello_drowns_what_others_say_of_themselves() -> None:
    figures = dict.fromkeys(("gaps", "duplicates", "rtt_ms"), 2**63)
    hello = _hello(**{"try": 1e18}, stats=figures)
    assert {hello.attempt, *hello.stats.values()} == {protocol.MOST_STATED}


def test_half_characters_are_not_looked_for_sign_by_sign() -> None:
    """It is done in the event loop, for frames of up to a megabyte and fifty of them a second."""

    def seconds(work: Callable[[], object]) -> float:
        return min(timeit.repeat(work, number=1, repeat=7))

    text = "ä" * 500_000
    by_sign = seconds(lambda: any(sign > "ä" for sign in text))
    assert seconds(lambda: protocol.string({"source": text}, "source", 500_000)) < by_sign / 5
    with pytest.raises(Malformed, match="half a character"):
        protocol.string({"source": text + "\ud800"}, "source", 500_001)


def test_limits_count_bytes() -> None:
    assert not protocol.is_over("x" * 10, 10)
    assert protocol.is_over("x" * 11, 10)
    assert protocol.is_over("ä" * 6, 10)
    assert not protocol.is_over("ä" * 5, 10)


def test_after_says_what_was_left_out() -> None:
    event = frames.event("contest", "c5", 134, "told", "{}")
    assert json.loads(event.whole)["after"] == 133
    assert json.loads(event.after(133))["after"] == 133
    assert json.loads(event.after(120)) == json.loads(event.whole) | {"after": 120}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(st.text(max_size=8), children, max_size=4),
    max_leaves=8,
)
fields = ("type", "protocol", "client", "cursor", "client_seq", "name", "data", "frames", "stats", "try", "token")
frame_like = st.dictionaries(st.sampled_from(fields), json_values, max_size=8).flatmap(
    lambda frame: st.sampled_from(["hello", "command", "seen", "leave"]).map(lambda kind: {**frame, "type": kind})
)


@given(st.text() | json_values.map(json.dumps) | frame_like.map(json.dumps))
def test_whatever_a_client_writes_is_a_frame_or_malformed(text: str) -> None:
    try:
        frame = parse(text)
    except Malformed:
        return
    if isinstance(frame, Seen):
        assert 0 <= frame.frames <= protocol.SAFE_INTEGER


@given(json_values)
def test_whatever_a_command_carries_is_read_or_malformed(data: Any) -> None:
    given_data = data if isinstance(data, dict) else {"notices": data, "ids": data, "text": data, "problem": data}
    for stream in STREAMS:
        for handler in stream.commands.values():
            try:
                handler.read(given_data)
            except Malformed:
                continue
