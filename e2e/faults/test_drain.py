"""One of two nodes is told to end in the middle of the contest: its pages change over, and nobody notices."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from e2e.conftest import Measured, NewSite
from e2e.faults.conftest import Enter
from e2e.harness.assertions import assert_all_time_counted, assert_live_within, assert_no_doubles, assert_no_loss
from e2e.harness.fault_proxy import FaultProxy
from e2e.harness.frames import FrameTap
from e2e.harness.jury import Jury, Visitor
from e2e.harness.pages import OVERVIEW, PROBLEM
from e2e.harness.watch import Watch
from e2e.harness.windows import HAPPENS_WITHIN_S, SHORT, SLACK_S
from tools.site_process import SiteProcess

SWITCH_WITHIN_S = 2.0
ENDS_WITHIN_S = 10.0
NO_WORSE = {"live", "checking", "switching"}


@pytest.fixture
def nodes(new_site: NewSite) -> Iterator[tuple[SiteProcess, SiteProcess]]:
    """Two on the same data."""
    more = {"FATHOM_JUDGE_SLOTS": "0", "FATHOM_TEST_SHARED_DATA": "1", **SHORT.environment}
    first = new_site(FATHOM_NODE_ID="first", **more)
    first.start()
    second = SiteProcess(first.data_dir, {**first.environment, "FATHOM_NODE_ID": "second", "FATHOM_PORT": ""})
    second.environment["FATHOM_PORT"] = str(second.port)
    second.start()
    yield first, second
    second.end()


@pytest.fixture
def site(nodes: tuple[SiteProcess, SiteProcess]) -> SiteProcess:
    return nodes[0]


@pytest.mark.both_shapes
def test_pages_of_a_drained_node_change_over_within_two_seconds_and_lose_neither_a_notice_nor_time(
    enter: Enter, nodes: tuple[SiteProcess, SiteProcess], proxy: FaultProxy, measured: Measured
) -> None:
    first, second = nodes
    fields = {"language": "python", "source": "print(sum(map(int, input().split())))"}
    record = Visitor(second.url, "alice").submit("/contests/demo/problems/A/submit/", fields).removeprefix(second.url)
    jury = Jury(second.url)
    # One page for each person: their time is counted over all of theirs, and an answer may hold another page's part.
    paths = [("alice", record), ("bob", PROBLEM), ("carol", OVERVIEW)]
    taps: dict[Page, FrameTap] = {}
    for who, path in paths:
        page = enter(who)
        taps[page] = FrameTap(page)
        page.goto(path)
        assert_live_within(page, 5)
    streams = {name for page in taps for name in Watch(page).names()} - {"page"}
    assert streams == {"announcements", "records", "record", "selftest", "timer"}
    reported = {page: _settled(page, tap, 1) for page, tap in taps.items()}

    cut_ms = {page: Watch(page).now_ms() for page in taps}
    proxy.target = ("127.0.0.1", second.port)  # where the balancer leads newcomers from now on
    assert first.process is not None
    os.kill(first.process.pid, signal.SIGTERM)
    notice = jury.post_notice("Said while a server went", requires_ack=True)

    back_s = max(_changed_over(page, tap, cut_ms[page]) for page, tap in taps.items())
    assert first.process.wait(ENDS_WITHIN_S) == 0, "the drained process did not end"
    for page, tap in taps.items():
        expect(page.locator(f"#alerts [data-notice-id='{notice}']")).to_have_count(1)
        assert_no_doubles(page)
        _settled(page, tap, len(tap.settled()) + 1)
        assert_all_time_counted(page, tap, reported[page] - 1, SHORT.report_ms)
        _said_no_worse(page, cut_ms[page])
    for page in list(taps)[2:]:
        assert_no_loss(page, jury)
    measured("all streams are live on another node", back_s, SWITCH_WITHIN_S)


def _changed_over(page: Page, tap: FrameTap, cut_ms: float) -> float:
    """Every stream was told, has left, was closed with 4112 and is live on the other node after one try; the seconds
    that this took."""
    watch = Watch(page)
    streams = len(watch.names()) - 1
    # By events, which this process may come to read late; the bound itself is held by the page's history.
    watch.wait_until(lambda: len(_of_type(tap, "welcome")) == 2 * streams, HAPPENS_WITHIN_S, "all are welcome")
    took_s = assert_live_within(page, SWITCH_WITHIN_S, cut_ms)
    assert len(_of_type(tap, "drain")) == streams, "not every stream was told"
    assert [each["node"] for each in _of_type(tap, "welcome")[streams:]] == ["second"] * streams
    assert sum(frame["type"] == "leave" for frame in tap.sent) == streams
    for inside in page.evaluate("window.fathom.connections()"):
        assert [(each["cause"], each["code"]) for each in inside["causes"]] == [("drain", 4112)], inside
        assert (inside["sockets"], inside["failures"]) == (2, 0), "a try has failed"
    return took_s


def _said_no_worse(page: Page, cut_ms: float) -> None:
    watch = Watch(page)
    said: dict[str, set[str]] = {name: set() for name in watch.names()}
    for change in watch.changes():
        if change.at_ms > cut_ms:
            said[change.name].add(change.state)
    for name, states in said.items():
        assert states <= NO_WORSE, f"{name}\n{watch.story()}"
        assert "switching" in states, f"{name} did not say so\n{watch.story()}"


def _of_type(tap: FrameTap, kind: str) -> list[dict[str, object]]:
    return [frame for frame in tap.received if frame["type"] == kind]


def _settled(page: Page, tap: FrameTap, count: int) -> int:
    """Wait until so many reports are answered; how many are."""
    within_s = 2 * SHORT.report_ms / 1000 + SLACK_S
    Watch(page).wait_until(lambda: len(tap.settled()) >= count, within_s, "time is counted")
    return len(tap.settled())
