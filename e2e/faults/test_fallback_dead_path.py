"""A path that was dead without a word, on the fallback: its requests keep none of the browser's few connections."""

from __future__ import annotations

import time

from playwright.sync_api import Page, expect

from e2e.conftest import Measured
from e2e.faults.conftest import Enter
from e2e.harness.assertions import assert_live_within, is_not_live
from e2e.harness.carrying import Direction
from e2e.harness.fault_proxy import FaultProxy, Upgrades
from e2e.harness.jury import Visitor
from e2e.harness.pages import OVERVIEW
from e2e.harness.solving import asked
from e2e.harness.watch import Watch, transports
from e2e.harness.windows import ON_ITS_FALLBACK_WITHIN_S, SHORT, SLACK_S
from tools.site_process import SiteProcess

DEAD_S = 4.0
"""About as long as a page with these windows needs to know of it, with requests of each kind in the air."""
QUESTION = "Was this asked once, over a path that was dead?"


def reports_answered(page: Page) -> int:
    return int(page.locator("#own-time").get_attribute("data-accumulated-ms") or 0)


def test_after_a_dead_path_a_question_and_reports_get_through_as_soon_as_the_page_is_back(
    enter: Enter, proxy: FaultProxy, site: SiteProcess, measured: Measured
) -> None:
    proxy.faults.upgrades = Upgrades.REFUSE
    page = enter("bob", OVERVIEW)
    assert_live_within(page, ON_ITS_FALLBACK_WITHIN_S)
    assert transports(page) == {"events"}
    watch = Watch(page)

    proxy.black_hole(Direction.DOWN)
    page.evaluate(
        "(text) => void window.fathom.command('announcements', 'ask', { problem: null, text })"
        ".then((reply) => { window.asked = { ok: reply.ok, atMs: performance.now() }; })",
        QUESTION,
    )
    time.sleep(DEAD_S)  # the fault itself
    assert proxy.counts.swallowed[Direction.DOWN] > 0
    assert page.evaluate("window.asked") is None, "its answer came all the same"

    proxy.faults.swallow = frozenset()  # WebSockets are refused as before
    back_ms = watch.now_ms()
    within_s = SHORT.back_within_s
    watch.wait_until(lambda: page.evaluate("window.asked?.ok === true"), within_s + SLACK_S, "it is asked", back_ms)
    took_s = watch.own_s(back_ms, (page.evaluate("window.asked.atMs") - back_ms) / 1000)
    measured("a question over the fallback, after a dead path", took_s, within_s)
    assert_live_within(page, within_s, back_ms)
    assert asked(Visitor(site.url, "bob")).count(QUESTION) == 1

    live_ms = watch.now_ms()
    counted_ms = reports_answered(page)
    watch.wait_until(
        lambda: reports_answered(page) > counted_ms + 2 * SHORT.report_ms, 4 * SHORT.report_ms / 1000, "reports count"
    )
    assert watch.first_after("page", live_ms, is_not_live) is None, watch.story()
    assert transports(page) == {"events"}
    expect(page.locator("#own-time")).to_have_attribute("data-synchronised", "true")
