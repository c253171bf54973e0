"""Bodies over the cap are refused in words before anything of them is kept."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from config.body_limit import HELD_BYTES, LARGE_AT_ONCE, SMALL_BYTES, BodyLimit, Message, Receive, Scope, Send
from contest.packages.archive.caps import MIB

PACKAGES = "/staff/contests/demo/packages/"
STRANGER = 0


async def identify(scope: Scope) -> int | None:
    return scope["person"] or None


def limit(app: Any) -> BodyLimit:
    return BodyLimit(app, identify)


class Keeper:
    """An application that reads the whole body, as Django does, and remembers how much it was given."""

    def __init__(self) -> None:
        self.kept = 0
        self.gate: asyncio.Event | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            self.kept += len(message["body"])
            if not message.get("more_body", False):
                break
        if self.gate is not None:
            await self.gate.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"taken"})


async def upload(
    app: BodyLimit,
    path: str,
    chunks: int,
    chunk_bytes: int = MIB,
    announced: int | None = None,
    person: int = 1,
    address: str = "192.0.2.1",
) -> tuple[int, bytes]:
    """POST `chunks` pieces; the answer's status and body."""
    sent: list[Message] = []
    left = chunks

    async def receive() -> Message:
        nonlocal left
        left -= 1
        return {"type": "http.request", "body": b"x" * chunk_bytes, "more_body": left > 0}

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [] if announced is None else [(b"content-length", str(announced).encode())]
    scope: dict[str, Any] = {"type": "http", "method": "POST", "path": path, "headers": headers, "person": person}
    scope["client"] = (address, 50000)
    await app(scope, receive, send)
    return sent[0]["status"], sent[1]["body"]


async def test_what_fits_passes() -> None:
    keeper = Keeper()
    assert await upload(limit(keeper), "/accounts/login/", 2) == (200, b"taken")
    assert keeper.kept == 2 * MIB


@pytest.mark.parametrize("announced", [3 * MIB, None])
async def test_what_is_too_large_is_refused_with_and_without_an_announced_length(announced: int | None) -> None:
    keeper = Keeper()
    status, words = await upload(limit(keeper), "/accounts/login/", 3, announced=announced)
    assert status == 413
    assert b"<h1>Too large</h1>" in words, "people see a page, not a line of plain text"
    assert b"at most 2 MiB are taken." in words
    assert keeper.kept <= 2 * MIB


async def test_a_package_may_be_larger_at_its_address_only() -> None:
    keeper = Keeper()
    assert (await upload(limit(keeper), "/staff/contests/demo/packages/", 20))[0] == 200
    assert (await upload(limit(keeper), "/staff/contests/demo/packages/x", 20))[0] == 413


async def test_only_a_few_large_bodies_are_taken_at_a_time_and_the_place_is_given_back() -> None:
    keeper = Keeper()
    keeper.gate = asyncio.Event()
    app, path = limit(keeper), "/staff/contests/demo/packages/"
    first = [asyncio.create_task(upload(app, path, 1, person=1 + each)) for each in range(LARGE_AT_ONCE)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert keeper.kept == LARGE_AT_ONCE * MIB, "the first uploads are not under way"
    assert (await upload(app, path, 1, person=9))[0] == 503
    keeper.gate.set()
    assert {status for status, _ in await asyncio.gather(*first)} == {200}
    assert (await upload(app, path, 1))[0] == 200


async def test_strangers_and_one_person_alone_do_not_keep_the_jury_from_uploading() -> None:
    keeper = Keeper()
    keeper.gate = asyncio.Event()
    app = limit(keeper)
    strangers = [asyncio.create_task(upload(app, PACKAGES, 1, person=STRANGER)) for _ in range(LARGE_AT_ONCE)]
    mallory = asyncio.create_task(upload(app, PACKAGES, 1, person=7))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert keeper.kept == (LARGE_AT_ONCE + 1) * MIB, "their uploads are not under way"
    assert (await upload(app, PACKAGES, 1, person=7))[0] == 503
    assert (await upload(app, PACKAGES, 3, person=STRANGER))[0] == 413, "strangers send no packages"
    keeper.gate.set()
    assert (await upload(app, PACKAGES, 20, person=1))[0] == 200
    await asyncio.gather(mallory, *strangers)


async def test_bodies_that_never_end_fill_no_memory_and_keep_no_neighbour_from_sending() -> None:
    keeper = Keeper()
    keeper.gate = asyncio.Event()
    app = limit(keeper)
    sent = [asyncio.create_task(upload(app, "/accounts/login/", 2, person=STRANGER)) for _ in range(40)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert 0 < keeper.kept < 2 * HELD_BYTES
    refused = [each for each in sent if each.done()]
    assert {each.result()[0] for each in refused} == {503}
    assert len(refused) == 40 - HELD_BYTES // (2 * MIB - SMALL_BYTES)

    held = [
        asyncio.create_task(upload(app, "/accounts/login/", 1, chunk_bytes=SMALL_BYTES)),
        asyncio.create_task(upload(app, "/accounts/login/", 2, address="192.0.2.2")),
    ]
    await asyncio.sleep(0)
    assert not any(each.done() for each in held), "a solution, and whatever comes from elsewhere, is taken"
    keeper.gate.set()
    assert {status for status, _ in await asyncio.gather(*held)} == {200}
    await asyncio.gather(*sent)
    assert (await upload(app, "/accounts/login/", 2))[0] == 200, "the room is given back"


async def test_while_nobody_can_be_recognised_no_package_is_taken() -> None:
    async def nobody(scope: Scope) -> int | None:
        raise OSError("the database is away")

    keeper = Keeper()
    assert (await upload(BodyLimit(keeper, nobody), PACKAGES, 20))[0] == 503
    assert keeper.kept == 0


async def test_sockets_are_not_its_business() -> None:
    seen: list[str] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(scope["type"])

    async def nothing(*_: Any) -> Any:
        raise AssertionError("nothing is read or sent")

    await limit(app)({"type": "websocket", "path": "/ws/"}, nothing, nothing)
    assert seen == ["websocket"]
