"""One item that cannot be worked off fails alone, whoever shares its batch."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from channels.db import database_sync_to_async
from django.db import DataError, OperationalError

from contest.models import Contest, NoticeReceipt, SelfTestRun, User
from contest.services.notices import post_notice
from contest.services.receipts import Report, Step, take_reports
from realtime import database, ledger
from realtime.batches import Batcher
from realtime.entry import attach
from realtime.entry.admitting import admit_all
from realtime.entry.sessions import session_key_of
from realtime.models import TimerAbsence
from realtime.node.node import Node
from realtime.tests.clients import Client, Sessions, eventually, hello
from realtime.tests.clocks import FakeClock
from realtime.timer import rows as timer_rows

TIMER = "/ws/contests/cup/timer"
NUL = "x\0y"


async def report(client: Client, client_seq: int, foreground_ms: int) -> Any:
    return await client.command(client_seq, "report", {"foreground": True, "foreground_ms": foreground_ms})


async def ask(client: Client, client_seq: int, text: str) -> Any:
    return await client.command(client_seq, "ask", {"problem": None, "text": text})


# --- Batches --------------------------------------------------------------------------------------


async def worked_off(numbers: Sequence[int], refuse: Callable[[Sequence[int]], None]) -> tuple[list[Any], int]:
    """What came of each of `numbers`, and how often the work was begun."""
    begun = 0

    def work(items: Sequence[int]) -> list[int | Exception]:
        nonlocal begun
        begun += 1
        refuse(items)
        return list(items)

    batcher = Batcher[int, int](work, pool=database.reading, max_items=1000)
    return await asyncio.gather(*(batcher.submit(each) for each in numbers), return_exceptions=True), begun


async def test_one_poisoned_item_of_a_thousand_fails_alone_and_is_found_by_halving() -> None:
    def refuse(items: Sequence[int]) -> None:
        if 700 in items:
            raise DataError("NUL")

    results, begun = await worked_off(range(1000), refuse)
    assert isinstance(results.pop(700), DataError)
    assert results == [each for each in range(1000) if each != 700], "each its own answer"
    assert begun <= 21


async def test_while_the_database_is_away_nothing_is_halved() -> None:
    def refuse(items: Sequence[int]) -> None:
        raise OperationalError("the server is not there")

    results, begun = await worked_off(range(100), refuse)
    assert {type(each) for each in results} == {OperationalError}
    assert begun == 1


# --- Own time -------------------------------------------------------------------------------------


async def test_a_cause_of_ones_own_making_reaches_no_row(
    live: Node, sessions: Sessions, contest: Contest, alice: User, clock: FakeClock
) -> None:
    first = await Client(TIMER, await sessions.key_of(alice)).live()
    await report(first, 1, 0)
    clock.forward(60_000)
    again = await Client(TIMER, await sessions.key_of(alice)).live(cause="made up")
    assert (await report(again, 2, 0))["ok"]
    absence = await TimerAbsence.objects.aget()
    assert absence.cause == "other"


async def test_a_report_that_cannot_be_settled_stops_nobody_elses_time(
    live: Node, sessions: Sessions, contest: Contest, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    hers, his = [await Client(TIMER, await sessions.key_of(each)).live() for each in (alice, bob)]
    poisoned = (await contest.participations.aget(user=alice)).pk
    lock, sizes = timer_rows.lock_accounts, []

    def refuse(ids: Any) -> Any:
        ids = list(ids)
        sizes.append(len(ids))
        if poisoned in ids:
            raise DataError("NUL")
        return lock(ids)

    monkeypatch.setattr(timer_rows, "lock_accounts", refuse)
    told = await asyncio.gather(report(hers, 1, 0), report(his, 1, 0))
    assert sizes[0] == 2, "the premise: they shared a batch"
    assert [each["ok"] for each in told] == [False, True]
    assert told[0]["error"]["code"] == "failed"
    assert sizes == [2, 1, 1], "and what cannot be settled is not tried for ever"


# --- The ledger -----------------------------------------------------------------------------------


async def test_a_receipt_that_cannot_be_written_fails_no_others_and_is_not_tried_for_ever(
    live: Node,
    sessions: Sessions,
    contest: Contest,
    alice: User,
    bob: User,
    grace: User,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(ledger, "SENT_RETRY_S", 0.0)
    refused: list[int] = []

    def refuse(reports: Sequence[Report]) -> Any:
        if any(each.user.pk == alice.pk for each in reports):
            refused.append(len(reports))
            raise DataError("NUL")
        return take_reports(reports)

    monkeypatch.setattr(ledger, "take_reports", refuse)
    notice = await database_sync_to_async(post_notice)(contest, grace, title="Lunch", body="Now.")
    pair = [(notice.pk, 1)]
    hers = live.ledger.receive(Step.CONFIRMED, contest, alice, pair)
    his = live.ledger.receive(Step.CONFIRMED, contest, bob, pair)
    told = await asyncio.gather(hers, his, return_exceptions=True)
    assert isinstance(told[0], DataError)
    assert told[1] == pair
    assert refused == [2, 1], "the premise: they shared a batch"
    assert await NoticeReceipt.objects.filter(confirmed_at__isnull=False).acount() == 1

    live.ledger.sent(contest, alice, pair)
    await eventually(lambda: "cannot be noted" in caplog.text)
    await live.ledger.drain()
    assert refused == [2, 1, 1]


# --- Newcomers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("cookie", [r'"\000abc"', "a'b", "a b", "é", "x" * 41, '""', "../x"])
def test_what_is_no_session_key_is_looked_for_by_nobody(cookie: str) -> None:
    assert session_key_of([(b"cookie", f"sessionid={cookie}".encode())]) == ""
    assert session_key_of([(b"cookie", b"sessionid=abc123")]) == "abc123"


async def test_a_strangers_cookie_keeps_nobody_out(
    live: Node, sessions: Sessions, contest: Contest, alice: User
) -> None:
    strangers = [Client("/ws/contests/cup/announcements", r'"\000abc"') for _ in range(3)]
    hers = Client("/ws/contests/cup/announcements", await sessions.key_of(alice))
    for client in (*strangers, hers):
        await client.connect()
    for stranger in strangers:
        assert await stranger.until_closed() == 4002
    await hers.greet()


async def test_who_cannot_be_attached_keeps_nobody_else_out(
    live: Node, sessions: Sessions, contest: Contest, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []

    def refuse(requests: Any, **more: Any) -> Any:
        sizes.append(len(requests))
        if any(visitor.user_id == alice.pk for _, _, visitor in requests):
            raise DataError("NUL")
        return admit_all(requests, **more)

    monkeypatch.setattr(attach, "admit_all", refuse)
    hers, his = [Client("/ws/contests/cup/records", await sessions.key_of(each)) for each in (alice, bob)]
    for client in (hers, his):
        await client.connect()
    await eventually(lambda: all(each.visitor for each in live.consumers.values()))
    await asyncio.gather(hers.send(hello()), his.send(hello()))
    await his.until("synced")
    assert await hers.until_closed() == 4111
    assert sizes[0] == 2, "the premise: they shared a batch"


@pytest.mark.parametrize(
    "path",
    ["/ws/contests/c\0p/records", "/ws/records/1\0", "/ws/records/9999999999999999", "/ws/records/-1", "/ws/records/١"],
)
async def test_an_address_that_no_database_can_look_for_is_looked_for_in_none(
    live: Node, sessions: Sessions, alice: User, path: str
) -> None:
    client = Client(path, await sessions.key_of(alice))
    await client.connect()
    assert await client.until_closed() == 4004
    assert not live.consumers, "no stream was begun for it"


@pytest.mark.parametrize("number", ["999999999999999", "0", "000"])
async def test_the_largest_and_the_least_number_of_a_record_are_looked_for(
    live: Node, sessions: Sessions, alice: User, number: str
) -> None:
    client = Client(f"/ws/records/{number}", await sessions.key_of(alice))
    await client.connect()
    await client.send(hello())
    assert await client.until_closed() == 4004
    assert client.received[-1]["message"] == "There is no such record."


async def test_a_cursor_far_ahead_is_given_a_snapshot_and_one_beyond_all_numbers_is_none(
    live: Node, sessions: Sessions, alice: User, contest: Contest
) -> None:
    path, key = "/ws/contests/cup/records", await sessions.key_of(alice)
    first = await Client(path, key).live()
    epoch = first.cursor["me"]["epoch"]
    ahead = Client(path, key, client="document-2")
    await ahead.connect()
    await ahead.send(hello("document-2", cursor={"me": {"epoch": epoch, "seq": 2**53 - 1}}))
    assert (await ahead.until("welcome"))["resumed"] is False
    for seq in (2**53, 2**63, -1):
        client = Client(path, key, client="document-3")
        await client.connect()
        await client.send(hello("document-3", cursor={"me": {"epoch": epoch, "seq": seq}}))
        assert await client.until_closed() == 4006


# --- What people write ----------------------------------------------------------------------------


async def test_a_nul_in_a_question_or_a_program_is_refused_in_a_sentence_and_the_stream_goes_on(
    live: Node, sessions: Sessions, contest: Contest, alice: User
) -> None:
    key = await sessions.key_of(alice)
    notices = await Client("/ws/contests/cup/announcements", key).live()
    refused = (await ask(notices, 1, NUL))["error"]
    assert (refused["code"], "NUL" in refused["message"]) == ("bad-request", True)
    assert (await ask(notices, 2, "Why?"))["ok"]

    runs = await Client("/ws/contests/cup/selftest", key).live()
    program = {"language": "python", "source": "print(1)", "stdin": ""}
    for client_seq, field in enumerate(("source", "stdin")):
        refused = (await runs.command(client_seq, "run", program | {field: NUL}))["error"]
        assert (refused["code"], "NUL" in refused["message"]) == ("bad-request", True)
    assert await SelfTestRun.objects.acount() == 0
    assert (await runs.command(9, "run", program))["ok"]
