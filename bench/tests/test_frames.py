"""The generator reads what servers send, however the network cuts it, and says when it cannot."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.wire import handshake
from bench.wire.frames import CLOSE, PING, TEXT, BadFrame, Frame, close_code, encode, split

SIZES = (0, 1, 125, 126, 127, 65_535, 65_536)


def served(payload: bytes, opcode: int = TEXT) -> bytes:
    """The same frame as a server sends it: unmasked."""
    frame = encode(payload, opcode)
    head = len(frame) - len(payload) - 4
    return bytes((frame[0], frame[1] & 0x7F)) + frame[2:head] + payload


@pytest.mark.parametrize("size", SIZES)
def test_a_frame_of_any_length_is_read_whole(size: int) -> None:
    payload = b"x" * size
    assert split(served(payload)) == ([(TEXT, payload)], b"")


@given(
    frames=st.lists(st.tuples(st.sampled_from([TEXT, PING, CLOSE]), st.binary(max_size=300)), max_size=8),
    cuts=st.lists(st.integers(0, 2500), max_size=12),
)
def test_where_the_network_cuts_changes_nothing(frames: list[Frame], cuts: list[int]) -> None:
    stream = b"".join(served(payload, opcode) for opcode, payload in frames)
    places = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    found: list[Frame] = []
    rest = b""
    for start, end in pairwise(places):
        more, rest = split(rest + stream[start:end])
        found += more
    assert found == frames
    assert rest == b""


@pytest.mark.parametrize("data", [b"\x01\x00", b"\xc1\x00", encode(b"masked")], ids=["fragment", "deflate", "masked"])
def test_what_no_server_here_sends_is_a_fault(data: bytes) -> None:
    with pytest.raises(BadFrame):
        split(data)


def test_a_close_frame_says_its_code_or_none() -> None:
    assert close_code((4103).to_bytes(2, "big") + b"why") == 4103
    assert close_code(b"") == 1005


def test_only_an_accepted_upgrade_has_status_101() -> None:
    assert handshake.status(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket") == 101
    assert handshake.status(b"HTTP/1.1 403 Forbidden") == 403
    assert handshake.status(b"\x16\x03\x01") == 0
    assert b"Cookie: sessionid=abc\r\n" in handshake.request("127.0.0.1:8000", "/ws/x", "abc")
