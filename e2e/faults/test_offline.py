"""What the browser believes of its network, truly and falsely."""

from __future__ import annotations

import time
from datetime import datetime
from typing import Any

import pytest

from e2e.faults.conftest import Enter
from e2e.harness.assertions import (
    assert_honest_badge,
    assert_known_within,
    assert_live_soon,
    assert_live_within,
    assert_no_doubles,
    assert_no_loss,
)
from e2e.harness.fault_proxy import FaultProxy
from e2e.harness.frames import FrameTap
from e2e.harness.jury import Jury, Visitor
from e2e.harness.pages import OVERVIEW, PROBLEM
from e2e.harness.watch import Watch
from e2e.harness.windows import HAPPENS_WITHIN_S, SLACK_S, Windows
from tools.site_process import SiteProcess

WATCH_BADGE = """() => {
    const badge = document.querySelector(".badge-text");
    window.badgeWords = [];
    new MutationObserver(() => window.badgeWords.push(badge.textContent)).observe(badge, { childList: true });
}"""
LYING = "Object.defineProperty(Navigator.prototype, 'onLine', {{ get: () => {answer} }});"


def test_a_page_whose_browser_goes_offline_says_so_and_is_live_at_once_when_it_comes_back(
    enter: Enter, jury: Jury, windows: Windows
) -> None:
    page = enter("alice", OVERVIEW)
    assert_live_soon(page)
    watch = Watch(page)
    cut_ms = watch.now_ms()
    page.context.set_offline(True)
    assert page.evaluate("navigator.onLine") is False, "the browser is not offline"
    jury.post_notice("Said to somebody offline")
    assert_known_within(page, windows.evidence_s, cut_ms)
    watch.wait_until(lambda: watch.state("page") == "offline", HAPPENS_WITHIN_S, "the page says so")
    healed_ms = watch.now_ms()
    page.context.set_offline(False)
    assert_live_within(page, 2, healed_ms)
    assert "online" in watch.events(healed_ms)
    assert_honest_badge(page, cut_ms=cut_ms, healed_ms=healed_ms, blind_s=windows.evidence_s)
    assert_no_loss(page, jury)
    assert_no_doubles(page)


def test_own_time_names_the_network_that_was_away_not_the_page(
    enter: Enter, site: SiteProcess, windows: Windows
) -> None:
    page = enter("alice")
    tap = FrameTap(page)
    page.goto(PROBLEM)
    assert_live_soon(page)
    Watch(page).wait_until(lambda: len(tap.settled()) > 1, HAPPENS_WITHIN_S, "some time is counted")
    lease_s = windows.lease_ms / 1000
    since_s = time.time()
    page.context.set_offline(True)
    page.wait_for_timeout((lease_s + windows.report_ms / 1000) * 1000)  # the fault itself
    page.context.set_offline(False)
    assert_live_within(page, windows.back_within_s)
    assert page.evaluate("document.visibilityState") == "visible", "it was hidden"
    alice = Visitor(site.url, "alice")
    deadline_s = time.monotonic() + windows.report_ms / 1000 + HAPPENS_WITHIN_S
    while not (gaps := _gaps_since(alice, since_s)):
        assert time.monotonic() < deadline_s, "nothing was lost: there was no fault"
        page.wait_for_timeout(100)
    assert [each["reason"] for each in gaps] == ["offline"], gaps


def _gaps_since(visitor: Visitor, since_s: float) -> list[dict[str, Any]]:
    """What was not counted and has ended."""
    gaps = visitor.read("/contests/demo/time/?format=json")["gaps"]
    return [each for each in gaps if not each["open"] and datetime.fromisoformat(each["to"]).timestamp() > since_s]


def test_a_moment_offline_tears_nothing_down_and_nothing_flashes(enter: Enter, jury: Jury, windows: Windows) -> None:
    page = enter("bob", PROBLEM)
    assert_live_soon(page)
    page.evaluate(WATCH_BADGE)
    watch, since_ms = Watch(page), Watch(page).now_ms()
    page.context.set_offline(True)
    page.wait_for_timeout(windows.evidence_s * 1000 / 3)  # the fault itself
    page.context.set_offline(False)
    page.wait_for_timeout(windows.report_ms)
    assert watch.events(since_ms)[:2] == ["offline", "online"], "the browser was not offline"
    assert watch.first_after("page", since_ms, lambda state: state not in ("live", "checking")) is None, watch.story()
    assert set(page.evaluate("window.fathom.connections().map((each) => each.sockets)")) == {1}
    assert watch.first_after("page", since_ms, lambda state: state == "checking") is not None, "it was never in doubt"
    assert page.evaluate("window.badgeWords") == [], "the badge has flashed"


def test_a_browser_that_wrongly_believes_to_be_offline_has_a_live_page(
    enter: Enter, jury: Jury, windows: Windows
) -> None:
    page = enter("alice")
    page.add_init_script(LYING.format(answer="false"))
    page.goto(OVERVIEW)
    assert page.evaluate("navigator.onLine") is False, "the browser does not lie"
    assert_live_soon(page)
    watch = Watch(page)
    since_ms = watch.now_ms()
    page.evaluate("window.dispatchEvent(new Event('offline'))")
    page.wait_for_timeout(windows.evidence_s * 2_000)
    assert "offline" in watch.events(since_ms), "the browser has not said so"
    watch.wait_until(lambda: watch.state("page") == "live", SLACK_S, "the path has answered", since_ms)
    assert watch.first_after("page", since_ms, lambda state: state not in ("live", "checking")) is None, watch.story()
    jury.post_notice("Said to a browser that lies")
    assert_no_loss(page, jury)
    assert_no_doubles(page)


@pytest.mark.quick
@pytest.mark.parametrize("answer", ["false", "true"])
def test_whatever_the_browser_believes_a_dead_path_is_found_and_left(
    enter: Enter, proxy: FaultProxy, jury: Jury, windows: Windows, answer: str
) -> None:
    page = enter("carol")
    page.add_init_script(LYING.format(answer=answer))
    page.goto(OVERVIEW)
    assert_live_soon(page)
    watch = Watch(page)
    page.evaluate(f"window.dispatchEvent(new Event('{'online' if answer == 'true' else 'offline'}'))")
    cut_ms = watch.now_ms()
    proxy.black_hole()
    jury.post_notice(f"Said while onLine was {answer}")
    watch.wait_until(
        lambda: watch.state("page") in ("reconnecting", "offline"), windows.known_within_s + 2, "the page knows"
    )
    healed_ms = watch.now_ms()
    proxy.heal()
    assert_live_within(page, windows.back_within_s, healed_ms)
    assert proxy.swallowed > 0, "nothing was swallowed: there was no fault"
    assert_honest_badge(page, cut_ms=cut_ms, healed_ms=healed_ms, blind_s=windows.known_within_s)
    assert_no_loss(page, jury)
    assert_no_doubles(page)
