"""The stream of self-tests: output arrives while the program runs, and a reconnect loses no byte."""

from __future__ import annotations

from channels.db import database_sync_to_async

from contest.events import Meters
from contest.models import Contest, SelfTestRun, User
from contest.services import selftests
from contest.services.selftests import Chunk, RunClaim, RunEnd
from realtime.node.node import Node
from realtime.tests.clients import Client, Sessions

PATH = "/ws/contests/cup/selftest"
RUN = {"language": "python", "source": "print(input())", "stdin": "hello\n"}

append = database_sync_to_async(selftests.append_output)
finish = database_sync_to_async(selftests.finish_run)


@database_sync_to_async
def claim() -> RunClaim:
    claimed = selftests.claim_run("judge-1")
    assert claimed is not None
    return claimed[0]


async def enter(sessions: Sessions, user: User, client: str = "document-1", **hello: object) -> Client:
    return await Client(PATH, await sessions.key_of(user), client=client).live(**hello)


async def test_output_arrives_while_the_program_runs(
    live: Node, sessions: Sessions, contest: Contest, alice: User, bob: User
) -> None:
    hers, his = await enter(sessions, alice), await enter(sessions, bob)
    reply = await hers.command(1, "run", RUN)
    assert reply["ok"], reply
    running = await claim()
    await append(running, [Chunk("stdout", 0, "hel")])
    assert (await hers.until("event", "run.output"))["data"]["text"] == "hel"
    await append(running, [Chunk("stdout", 3, "lo\n"), Chunk("stderr", 0, "!")])
    chunks = [(await hers.until("event", "run.output"))["data"] for _ in range(2)]
    assert [(each["stream"], each["offset"], each["text"]) for each in chunks] == [
        ("stdout", 3, "lo\n"),
        ("stderr", 0, "!"),
    ]
    await finish(running, RunEnd("AC", exit_status=0))
    assert (await hers.until("event", "run.finished"))["data"]["exit_status"] == 0
    names = [event["name"] for event in hers.events()]
    assert names[0] == "run.queued"
    assert await his.is_quiet()


async def test_a_repeated_run_starts_nothing_and_another_one_is_busy(
    live: Node, sessions: Sessions, contest: Contest, alice: User
) -> None:
    client = await enter(sessions, alice)
    first = await client.command(1, "run", RUN)
    again = await client.command(1, "run", RUN)
    assert first["data"]["run"]["id"] == again["data"]["run"]["id"]
    other = await client.command(2, "run", RUN)
    assert (other["ok"], other["error"]["code"]) == (False, "busy")
    assert await SelfTestRun.objects.acount() == 1


async def test_a_reconnect_in_mid_run_loses_and_doubles_no_byte(
    live: Node, sessions: Sessions, contest: Contest, alice: User
) -> None:
    client = await enter(sessions, alice)
    await client.command(1, "run", RUN)
    running = await claim()
    await append(running, [Chunk("stdout", 0, "one ")])
    await client.until("event", "run.output")
    await client.leave()
    await append(running, [Chunk("stdout", 4, "two ")])
    again = await enter(sessions, alice, cursor=client.cursor)
    await append(running, [Chunk("stdout", 8, "three")])
    while "".join(event["data"]["text"] for event in again.events("run.output")) != "two three":
        await again.until("event", "run.output")


async def test_a_fresh_page_finds_the_run_as_it_is(
    live: Node, sessions: Sessions, contest: Contest, alice: User
) -> None:
    client = await enter(sessions, alice)
    await client.command(1, "run", RUN)
    await append(await claim(), [Chunk("stdout", 0, "one")])
    page = await enter(sessions, alice, "document-2")
    data = page.received[1]["data"]
    assert data["run"]["language"] == "python"
    assert [each["text"] for each in data["output"]] == ["one"]


async def test_a_run_is_cancelled(live: Node, sessions: Sessions, contest: Contest, alice: User) -> None:
    client = await enter(sessions, alice)
    await client.command(1, "run", RUN)
    await client.send({"type": "command", "client_seq": 2, "name": "cancel", "data": {}})
    # The event and the reply come by different ways, so either may be first.
    frames = [await client.until_either("reply", "run.finished") for _ in range(2)]
    (reply,) = [frame for frame in frames if frame["type"] == "reply"]
    assert (reply["client_seq"], reply["data"]) == (2, {"cancelled": True})
    assert [frame.get("name") for frame in frames if frame is not reply] == ["run.finished"]
    assert (await client.command(3, "cancel", {}))["data"] == {"cancelled": False}


async def test_a_stop_that_names_another_run_changes_nothing(
    live: Node, sessions: Sessions, contest: Contest, alice: User
) -> None:
    client = await enter(sessions, alice)
    run = (await client.command(1, "run", RUN))["data"]["run"]["id"]
    assert (await client.command(2, "cancel", {"run": run + 1}))["data"] == {"cancelled": False}
    assert (await SelfTestRun.objects.aget()).status == "queued"
    assert (await client.command(3, "cancel", {"run": run}))["data"] == {"cancelled": True}
    assert (await SelfTestRun.objects.aget()).status == "final"


async def test_one_who_waits_hears_that_the_queue_moves_and_a_silent_programs_meters(
    live: Node, sessions: Sessions, contest: Contest, alice: User, bob: User
) -> None:
    hers, his = await enter(sessions, alice), await enter(sessions, bob, "document-2")
    assert (await hers.command(1, "run", RUN))["data"]["run"]["position"] == 1
    assert (await his.command(1, "run", RUN))["data"]["run"]["position"] == 2
    running = await claim()
    assert (await his.until("event", "run.queued"))["data"]["position"] == 2
    assert (await his.until("event", "run.queued"))["data"]["position"] == 1, "within a second or two"
    await append(running, [Chunk("stdout", 0, "one\n")])
    await append(running, [], meters=Meters(1200, 4096, 4))
    first, silent = [(await hers.until("event", "run.output"))["data"] for _ in range(2)]
    assert (first["offset"], first["text"]) == (0, "one\n")
    assert (silent["offset"], silent["text"], silent["time_ms"], silent["memory_kb"]) == (4, "", 1200, 4096)


async def test_a_source_over_the_limit_is_refused_in_a_reply(
    live: Node, sessions: Sessions, contest: Contest, alice: User
) -> None:
    client = await enter(sessions, alice)
    reply = await client.command(1, "run", RUN | {"source": "x" * (257 * 1024)})
    assert (reply["ok"], reply["error"]["code"]) == (False, "bad-request")
    await client.send("x" * (1024 * 1024 + 1))
    assert await client.until_closed() == 4009
