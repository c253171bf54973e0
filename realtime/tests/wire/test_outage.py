"""PostgreSQL and Redis go away in the middle of a running contest, and come back: nothing is lost, nobody cut off."""

from __future__ import annotations

import asyncio
import signal
import time
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from realtime.tests.wire import browsing
from realtime.tests.wire.browsing import Browser, Sent
from realtime.tests.wire.pages import NoticesPage, Page, RecordPage, RecordsPage, SelfTestPage, TimerPage
from realtime.tests.wire.sockets import Door
from realtime.tests.wire.stage import SLUG, Stage
from tools.services import Services
from tools.site_process import SiteProcess

pytestmark = [pytest.mark.scaled, pytest.mark.timeout(180)]

OUTAGE_S = 10.0
CASES = 10
SUM = "import time\na, b = map(int, input().split())\ntime.sleep(0.5)\nprint(a + b)\n"
LINES = 40
CHATTY = f"import time\nfor n in range({LINES}):\n    print(n, flush=True)\n    time.sleep(0.2)\n"
WHOLE_OUTPUT = "".join(f"{n}\n" for n in range(LINES))


@pytest.fixture
def servers() -> Iterator[Services]:
    """Of this test's own: the other tests need theirs."""
    with Services() as services:
        yield services


@pytest.fixture
def nodes(servers: Services, tmp_path: Path) -> Iterator[list[SiteProcess]]:
    """Two web nodes, the first with a judge."""
    processes = []
    for name, slots in (("n1", "2"), ("n2", "0")):
        environment = {**servers.environment(), "FATHOM_NODE_ID": name, "FATHOM_JUDGE_SLOTS": slots}
        processes.append(SiteProcess(tmp_path / name, environment))
        processes[-1].data_dir.mkdir()
    processes[0].manage("migrate", "--verbosity", "0")
    for process in processes:
        process.start()
    yield processes
    for process in processes:
        process.kill()


class Day:
    """A contest with its people on both nodes: contestants on all five streams, a jury that posts, a judge."""

    def __init__(self, nodes: list[SiteProcess]) -> None:
        self.nodes = nodes
        self.stage = Stage(nodes[0].environment)
        sessions = self.stage("people")
        self.stage("set_problem", SLUG, CASES)
        self.doors = [Door(node.port, sessions) for node in nodes]
        self.notices = [NoticesPage(self.doors[n], who, f"{who}-1") for n, who in enumerate(("alice", "bob"))]
        self.lists = [RecordsPage(self.doors[n], who, f"{who}-1") for n, who in enumerate(("alice", "bob"))]
        self.jury = RecordsPage(self.doors[1], "grace", "grace-1")
        self.runs = SelfTestPage(self.doors[1], "alice", "alice-1")
        self.timers = [TimerPage(self.doors[n], who, f"{who}-1") for n, who in enumerate(("alice", "bob"))]
        self.records: list[RecordPage] = []
        self.grace, self.alice = Browser(self.doors[0], "grace"), Browser(self.doors[1], "alice")
        self.numbers = count(1)
        self.posted: list[str] = []
        self.submitted: list[int] = []

    @property
    def pages(self) -> list[Page]:
        return [*self.notices, *self.lists, self.jury, self.runs, *self.timers, *self.records]

    async def begin(self) -> None:
        await asyncio.to_thread(self.grace.open, browsing.CONSOLE)
        await asyncio.to_thread(self.alice.open, browsing.PROBLEM)
        await self.all_live(20)

    async def all_live(self, within_s: float) -> None:
        async with asyncio.timeout(within_s):
            await asyncio.gather(*(page.live.wait() for page in self.pages))

    async def post(self) -> Sent:
        title = f"Notice {next(self.numbers)}"
        self.posted.append(title)
        return await self.grace.send(browsing.NOTICES, title=title, body="Read this.", level="info")

    async def submit(self) -> Sent:
        sent = await self.alice.send(browsing.SUBMIT, language="python", source=f"{SUM}# {next(self.numbers)}\n")
        record_id = int(sent.location.rstrip("/").rsplit("/", 1)[1])
        self.submitted.append(record_id)
        return sent

    def follow(self, record_id: int) -> RecordPage:
        self.records.append(RecordPage(self.doors[0], "alice", record_id, f"alice-{record_id}"))
        return self.records[-1]

    async def post_and_show(self) -> tuple[float, float]:
        """Seconds until the form is answered, and until the notice is on every screen."""
        began = time.monotonic()
        notice_id = int((sent := await self.post()).location.rstrip("/").rsplit("/", 1)[1])
        await until(lambda: all(notice_id in page.shown_s for page in self.notices), 20)
        return sent.took_s, max(page.shown_s[notice_id] for page in self.notices) - began

    async def end(self) -> None:
        self.stage.close()
        for page in self.pages:
            await page.close()


async def until(is_so: Callable[[], object], within_s: float) -> None:
    deadline = time.monotonic() + within_s
    while not is_so():
        assert time.monotonic() < deadline, "it did not come about"
        await asyncio.sleep(0.05)


async def during(outage_s: float, work: Callable[[], Awaitable[object]]) -> None:
    """Do `work` again and again for as long as this."""
    deadline = time.monotonic() + outage_s
    while time.monotonic() < deadline:
        await work()
        await asyncio.sleep(0.5)


def is_ready(node: SiteProcess) -> bool:
    try:
        with urllib.request.urlopen(f"{node.url}/readyz", timeout=10) as answer:
            return bool(answer.status == 200)
    except urllib.error.HTTPError:
        return False


async def test_nothing_is_lost_and_nobody_cut_off(servers: Services, nodes: list[SiteProcess]) -> None:
    day = Day(nodes)
    await day.begin()
    await day.submit()
    await day.post_and_show()
    await redis_away(day, servers)
    await redis_hangs(day, servers)
    newcomers = await postgresql_away(day, servers)

    await until(lambda: all(finished(day.jury, record_id) for record_id in day.submitted), 60)
    await until(lambda: day.runs.finished is not None, 20)
    for page in day.notices:
        await page.confirmed()
    counted = {page.who: await page.settle() for page in day.timers}
    day.stage.close()
    day.stage = Stage(nodes[0].environment)
    truth = await asyncio.to_thread(day.stage, "truth")
    check_cuts(day, newcomers)
    check_notices(day, newcomers, truth)
    check_judging(day, truth)
    for who, (foreground_ms, accumulated_ms) in counted.items():
        assert foreground_ms > 2 * OUTAGE_S * 1000
        assert 0.95 * foreground_ms <= accumulated_ms <= foreground_ms, f"all of {who}'s time counts, outage and all"
        assert truth["accumulated_ms"][who] == accumulated_ms
    for page in newcomers:
        await page.close()
    await day.end()


async def redis_away(day: Day, servers: Services) -> None:
    """The tail delivers, within its period."""
    servers.redis.stop()
    shown_s: list[float] = []

    async def post() -> None:
        answered, shown = await day.post_and_show()
        assert answered < 1.0
        shown_s.append(shown)

    submitting = asyncio.create_task(day.submit())
    await during(OUTAGE_S, post)
    assert not servers.redis.socket.exists() or servers.redis.process is None
    servers.redis.start()
    await submitting
    assert len(shown_s) >= 4
    assert max(shown_s) < 2.5


async def redis_hangs(day: Day, servers: Services) -> None:
    assert servers.redis.process is not None
    servers.redis.process.send_signal(signal.SIGSTOP)
    try:
        for _ in range(2):
            answered_s, shown_s = await day.post_and_show()
            assert answered_s < 1.0
            assert shown_s < 2.0
    finally:
        servers.redis.process.send_signal(signal.SIGCONT)


async def postgresql_away(day: Day, servers: Services) -> list[NoticesPage]:
    """The judge is in the middle of a record and of a self-test; people go on working."""
    run = await day.runs.command("run", {"language": "python", "source": CHATTY, "stdin": ""})
    assert run["ok"]
    await until(lambda: day.runs.output, 30)
    await day.submit()
    page = day.follow(day.submitted[-1])
    await until(lambda: page.cases, 30)
    assert page.record["status"] != "final"
    assert day.runs.finished is None

    servers.postgresql.stop()
    began = time.monotonic()
    newcomers = [NoticesPage(door, "bob", f"newcomer-{n}") for n, door in enumerate(day.doors)]
    forms = asyncio.gather(day.post(), day.submit())
    assert not await asyncio.to_thread(is_ready, day.nodes[0]), "the database is away"
    await until(lambda: all(newcomer.cuts for newcomer in newcomers), OUTAGE_S)
    await asyncio.sleep(max(0.0, began + OUTAGE_S - time.monotonic()))  # the outage is the fault: it has to last
    servers.postgresql.start()
    sent = await asyncio.wait_for(forms, 30)
    assert all(each.errors for each in sent), "the forms were sent while the database was away"
    async with asyncio.timeout(15):
        await asyncio.gather(*(newcomer.live.wait() for newcomer in newcomers))
    await day.all_live(10)
    _, shown_s = await day.post_and_show()
    assert shown_s < 5.0
    return newcomers


def finished(page: RecordsPage, record_id: int) -> bool:
    return page.records.get(record_id, {}).get("status") == "final"


def check_cuts(day: Day, newcomers: list[NoticesPage]) -> None:
    for page in day.pages:
        codes = [code for _, code in page.cuts]
        assert not page.failures
        assert codes == [] or (isinstance(page, RecordPage) and codes == [4001]), f"{page.client} {page.stream}"
    for newcomer in newcomers:
        assert {code for _, code in newcomer.cuts} <= {4111, 1006}, "told to come again, and they did"


def check_notices(day: Day, newcomers: list[NoticesPage], truth: dict[str, Any]) -> None:
    assert sorted(title for _, title in truth["notices"]) == sorted(day.posted), "each was posted once"
    ids = {notice_id for notice_id, _ in truth["notices"]}
    for page in [*day.notices, *newcomers]:
        assert set(page.shown_s) == ids
    for page in day.notices:
        assert not page.told_twice
        assert {notice_id for who, notice_id in truth["confirmed"] if who == page.who} == ids


def check_judging(day: Day, truth: dict[str, Any]) -> None:
    stored = {record_id: (status, verdict, version) for record_id, _, status, verdict, version in truth["records"]}
    assert sorted(stored) == sorted(day.submitted), "each was submitted once"
    assert {(status, verdict) for status, verdict, _ in stored.values()} == {("final", "AC")}
    for page in (day.lists[0], day.jury):
        shown = {each["id"]: (each["status"], each["verdict"], each["version"]) for each in page.records.values()}
        assert shown == stored
    assert not day.lists[1].records, "nothing of it is Bob's"
    for one in day.records:
        record_id = one.record["id"]
        assert sorted(one.cases.items()) == [tuple(case) for case in truth["cases"][str(record_id)]]
        assert len(one.cases) == CASES
    assert truth["run"][1:] == ["final", "AC"]
    assert day.runs.output == truth["output"] == WHOLE_OUTPUT, "not a byte lost or doubled"
