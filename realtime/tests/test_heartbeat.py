"""What the heartbeat decides, and how long the dead are kept."""

from __future__ import annotations

import pytest
from django.conf import settings
from hypothesis import given
from hypothesis import strategies as st

from realtime.wire.heartbeat import Verdict, Windows, decide

WINDOWS = Windows(heartbeat_ms=40_000, idle_kill_ms=80_000)
NOW = 1_000_000.0


@pytest.mark.parametrize(
    ("silent_ms", "untold_ms", "verdict"),
    [
        (0, 0, Verdict.NOTHING),
        (29_999, 29_999, Verdict.NOTHING),
        (30_000, 0, Verdict.PING),
        (0, 30_000, Verdict.PING),
        (79_999, 0, Verdict.PING),
        (80_000, 0, Verdict.CLOSE),
    ],
)
def test_one_look(silent_ms: float, untold_ms: float, verdict: Verdict) -> None:
    assert decide(NOW, NOW - silent_ms, NOW - untold_ms, 0, WINDOWS) is verdict


def test_after_this_process_stood_still_nobody_is_closed_before_a_fresh_ping_could_be_answered() -> None:
    assert decide(NOW, 0, 0, NOW + WINDOWS.grace_ms, WINDOWS) is Verdict.PING
    later = NOW + WINDOWS.grace_ms
    assert decide(later, 0, NOW, NOW + WINDOWS.grace_ms, WINDOWS) is Verdict.CLOSE


@given(st.integers(0, 39_999))
def test_a_dead_client_is_pinged_first_and_freed_in_80_to_120_s(first_look_ms: int) -> None:
    pinged_ms = None
    for look in range(10):
        now = first_look_ms + look * WINDOWS.heartbeat_ms
        verdict = decide(now, 0, 0 if pinged_ms is None else pinged_ms, 0, WINDOWS)
        if verdict is Verdict.PING:
            pinged_ms = now
        if verdict is Verdict.CLOSE:
            assert 80_000 <= now <= 120_000
            assert pinged_ms is not None
            assert now - pinged_ms >= WINDOWS.heartbeat_ms
            return
    pytest.fail("it was never closed")


@given(st.integers(0, 39_999), st.integers(0, 39_000))
def test_a_client_that_answers_within_40_s_is_never_closed(first_look_ms: int, answers_after_ms: int) -> None:
    heard_ms, told_ms = 0.0, 0.0
    answers: list[float] = []
    for look in range(30):
        now = first_look_ms + look * WINDOWS.heartbeat_ms
        heard_ms = max([heard_ms, *[each for each in answers if each <= now]])
        verdict = decide(now, heard_ms, told_ms, 0, WINDOWS)
        assert verdict is not Verdict.CLOSE
        if verdict is Verdict.PING:
            told_ms = now
            answers.append(now + answers_after_ms)


@given(st.integers(50, 2000), st.integers(1, 4000), st.integers(0, 10_000))
def test_whatever_the_windows_a_ping_has_idle_kill_less_heartbeat_to_be_answered(
    heartbeat_ms: int, longer_ms: int, first_look_ms: int
) -> None:
    windows = Windows(heartbeat_ms, heartbeat_ms + longer_ms)
    now, pinged_ms, told_ms = first_look_ms % heartbeat_ms, None, 0
    while decide(now, 0, told_ms, 0, windows) is not Verdict.CLOSE:
        if decide(now, 0, told_ms, 0, windows) is Verdict.PING:
            pinged_ms = now if pinged_ms is None else pinged_ms
            told_ms = now
        now += heartbeat_ms
    assert windows.idle_kill_ms <= now < windows.idle_kill_ms + heartbeat_ms
    assert pinged_ms is not None
    assert now - pinged_ms >= windows.grace_ms


@pytest.mark.parametrize("first_look_ms", range(0, 200, 10))
def test_a_round_trip_longer_than_the_heartbeat_is_no_death(first_look_ms: int) -> None:
    windows, round_trip_ms = Windows(heartbeat_ms=200, idle_kill_ms=500), 300
    assert round_trip_ms > windows.heartbeat_ms
    heard_ms = told_ms = 0
    pongs: list[int] = []
    for now in range(first_look_ms, 20_000, windows.heartbeat_ms):
        heard_ms = max([heard_ms, *[at for at in pongs if at <= now]])
        verdict = decide(now, heard_ms, told_ms, 0, windows)
        assert verdict is not Verdict.CLOSE
        if verdict is Verdict.PING:
            told_ms = now
            pongs.append(now + round_trip_ms)
    assert len(pongs) > 50


def test_the_default_windows_leave_a_client_time_to_answer() -> None:
    timings = settings.FATHOM.timings
    default = Windows(timings.heartbeat_ms, timings.idle_kill_ms)
    assert default == WINDOWS
    assert default.quiet_ms < default.heartbeat_ms < default.idle_kill_ms
