"""What is a flood and what is none."""

from __future__ import annotations

import pytest

from realtime.wire.admission import FloodGuard
from realtime.wire.protocol import SELFTEST_FRAME_LIMIT_BYTES

WORD_BYTES = 4


def flooded_after_ms(frames_a_second: float, for_s: float = 10) -> float | None:
    """When a client that sends evenly is told that it floods; None: never."""
    guard = FloodGuard()
    for number in range(int(frames_a_second * for_s)):
        now_ms = 1000 * number / frames_a_second
        if guard.is_flooded(now_ms, WORD_BYTES):
            return now_ms
    return None


@pytest.mark.parametrize("frames_a_second", [1, 20, 50])
def test_up_to_50_frames_a_second_are_no_flood(frames_a_second: float) -> None:
    assert flooded_after_ms(frames_a_second) is None


@pytest.mark.parametrize("frames_a_second", [52, 100, 1000, 20_000])
def test_more_than_50_frames_a_second_for_2_s_are_a_flood(frames_a_second: float) -> None:
    flooded_ms = flooded_after_ms(frames_a_second)
    assert flooded_ms is not None
    assert 2000 <= flooded_ms < 2100


def test_a_burst_is_no_flood_however_large() -> None:
    guard = FloodGuard()
    assert not any(guard.is_flooded(0.01 * number, WORD_BYTES) for number in range(5000))
    assert not any(guard.is_flooded(5000 + 0.01 * number, WORD_BYTES) for number in range(5000))


def test_saying_that_frames_were_taken_in_is_no_flood_however_often() -> None:
    """Who takes in tens of megabytes says so hundreds of times a second."""
    guard = FloodGuard()
    for number in range(5000):
        assert not guard.is_flooded(number, WORD_BYTES)
        guard.take_back()
    assert any(guard.is_flooded(5000 + number, WORD_BYTES) for number in range(5000)), "anything else is one as before"


def test_two_bursts_with_a_pause_between_are_no_flood() -> None:
    guard = FloodGuard()
    for second in (0, 2, 4, 6):
        assert not any(guard.is_flooded(second * 1000 + number, WORD_BYTES) for number in range(100))


def test_two_of_the_largest_frames_at_once_are_no_flood_and_one_a_second_never_is() -> None:
    guard = FloodGuard()
    assert not guard.is_flooded(0, 4096), "the hello before them"
    assert not guard.is_flooded(1, SELFTEST_FRAME_LIMIT_BYTES)
    assert not guard.is_flooded(2, SELFTEST_FRAME_LIMIT_BYTES)
    assert not any(guard.is_flooded(1000 * second, SELFTEST_FRAME_LIMIT_BYTES) for second in range(2, 60))


@pytest.mark.parametrize("frames_a_second", [2, 10, 40])
def test_more_than_a_mebibyte_a_second_is_a_flood_at_less_than_50_frames(frames_a_second: int) -> None:
    guard = FloodGuard()
    frames = [guard.is_flooded(1000 * n / frames_a_second, SELFTEST_FRAME_LIMIT_BYTES) for n in range(60)]
    assert not any(frames[:2])
    assert frames.index(True) <= 3, "the third or fourth is not read any more"
