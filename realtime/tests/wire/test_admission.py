"""Over a real server: attempts by address behind a trusted proxy, and a server that does not keep up."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import time
from collections.abc import Iterator

import pytest

from realtime.tests.clients import Closed, Frame, hello
from realtime.tests.wire.sockets import Door
from tools.site_process import SiteProcess

BURST = 10
"""One attempt a second is ten at once."""


@pytest.fixture(scope="module")
def strict(site: SiteProcess) -> Iterator[SiteProcess]:
    """Behind a proxy on this machine; one attempt a second and address; may lag by 300 ms."""
    yield from _another(site, FATHOM_LOOP_LAG_MS="300", FATHOM_TRUSTED_PROXIES="127.0.0.1")


@pytest.fixture(scope="module")
def unproxied(site: SiteProcess) -> Iterator[SiteProcess]:
    """No proxy is trusted; one attempt a second and address."""
    yield from _another(site, FATHOM_TRUSTED_PROXIES="")


def _another(site: SiteProcess, **settings: str) -> Iterator[SiteProcess]:
    """One more process of the same site, with limits of its own."""
    process = SiteProcess(site.data_dir, {**site.environment, "FATHOM_ADDRESS_ATTEMPTS_PER_S": "1", **settings})
    process.environment["FATHOM_PORT"] = str(process.port)
    process.start()
    yield process
    process.kill()


async def _knock(door: Door, client: str) -> tuple[int | None, Frame]:
    """The server's close code (None: it was let in), and the last frame."""
    socket = await door.open("bob", client=client)
    await socket.send(hello(client))
    try:
        await socket.until("synced")
    except Closed as closed:
        return closed.code, socket.received[-1]
    return None, socket.received[-1]


async def _knock_in_time(door: Door, client: str) -> tuple[int | None, Frame]:
    """The same, again while this machine itself makes the server lag: that is counted for no address."""
    code, told = await _knock(door, client)
    if code != 4113:
        return code, told
    await asyncio.sleep(told["retry_after_ms"] / 1000)
    return await _knock_in_time(door, client)


async def test_the_address_is_the_one_that_a_trusted_proxy_names(strict: SiteProcess, door: Door) -> None:
    def behind(forwarded: str) -> Door:
        return Door(strict.port, door.sessions, {"X-Forwarded-For": forwarded})

    room = [await _knock_in_time(behind("192.0.2.1"), f"room-{number}") for number in range(BURST)]
    assert [code for code, _ in room] == [None] * BURST
    code, told = await _knock_in_time(behind("192.0.2.1"), "one-too-many")
    assert (code, told["type"], told["code"]) == (4129, "retry", "too-many")
    assert told["retry_after_ms"] >= 500
    code, _ = await _knock_in_time(behind("198.51.100.9, 192.0.2.1"), "made-up")
    assert code == 4129, "what the client itself claims to come from counts for nothing"
    assert (await _knock_in_time(behind("192.0.2.2"), "another-room"))[0] is None


async def test_without_a_trusted_proxy_nobody_is_believed(unproxied: SiteProcess, door: Door) -> None:
    """All of these come from this machine, for which there is no limit; for the address that they claim there is one,
    as the test before this one shows."""
    claimed = Door(unproxied.port, door.sessions, {"X-Forwarded-For": "192.0.2.1"})
    began = time.monotonic()
    codes = [(await _knock_in_time(claimed, f"claims-{number}"))[0] for number in range(2 * BURST)]
    assert time.monotonic() - began < BURST - 1, "the premise: more than that address would have been let in"
    assert codes == [None] * (2 * BURST)


async def test_a_server_that_does_not_keep_up_serves_whoever_is_in_and_spreads_whoever_comes(
    strict: SiteProcess, door: Door
) -> None:
    inside = await Door(strict.port, door.sessions).live("alice", client="inside")
    assert strict.process is not None

    async def hold_up(process: subprocess.Popen[str]) -> None:
        while True:
            process.send_signal(signal.SIGSTOP)
            await asyncio.sleep(0.9)  # the fault itself: it stands still most of the time
            process.send_signal(signal.SIGCONT)
            await asyncio.sleep(0.06)

    holding_up = asyncio.create_task(hold_up(strict.process))
    try:
        deadline = time.monotonic() + 20
        while (await _knock(Door(strict.port, door.sessions), "first"))[0] != 4113:
            assert time.monotonic() < deadline, "it never lags"
        knocks = await asyncio.gather(*(_knock(Door(strict.port, door.sessions), f"new-{n}") for n in range(30)))
        turned_away = [told for code, told in knocks if code == 4113]
        assert len(turned_away) >= 5, "the premise: it lags"
        assert {(told["type"], told["code"]) for told in turned_away} == {("retry", "overloaded")}
        delays_ms = [told["retry_after_ms"] for told in turned_away]
        assert min(delays_ms) >= 500
        asked = time.monotonic()
        await inside.send("ping")
        assert await inside.receive() == "pong"
        assert time.monotonic() - asked < 2.0
    finally:
        holding_up.cancel()
        strict.process.send_signal(signal.SIGCONT)
    assert (await _knock_in_time(Door(strict.port, door.sessions), "afterwards"))[0] is None
