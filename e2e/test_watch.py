"""The instrument by which pages are measured: time in which a page cannot act is not held against it, all other is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from e2e.harness.assertions import assert_live_within
from e2e.harness.watch import MOST_EXCUSED_MS, Watch, install_watch
from e2e.harness.windows import SLACK_S

STALL_S = 1.5 + SLACK_S
STALL = "(ms) => { const until = performance.now() + ms; while (performance.now() < until); }"
SAY_LIVE = """(ms) => { setTimeout(() => { document.body.dataset.connection = "live"; }, ms); }"""


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Empty, with a badge that nobody writes."""
    context = browser.new_context()
    install_watch(context)
    page = context.new_page()
    page.goto("data:text/html,<body data-connection=connecting><p data-stream=timer data-state=live>")
    yield page
    context.close()


def test_time_in_which_no_timer_of_the_page_runs_is_left_out_of_a_bound(page: Page) -> None:
    watch = Watch(page)
    watch.wait_until(lambda: watch.now_ms() > 300, 5, "its pulse beats")
    since_ms = watch.now_ms()
    page.evaluate(STALL, STALL_S * 1000)
    page.evaluate(SAY_LIVE, 800)
    own_s = assert_live_within(page, 1.0, since_ms)
    assert watch.now_ms() - since_ms > STALL_S * 1000, "nothing stood still"
    assert watch.stalled_ms(since_ms, watch.now_ms()) > (STALL_S - 0.3) * 1000
    assert 0.2 < own_s < 1.0 + SLACK_S


def test_a_page_that_blocks_itself_for_long_is_not_excused(page: Page) -> None:
    since_ms = Watch(page).now_ms()
    page.evaluate(STALL, MOST_EXCUSED_MS + (0.5 + SLACK_S) * 1000)
    page.evaluate(SAY_LIVE, 0)
    with pytest.raises(AssertionError, match=r"within 0\.5 s"):
        assert_live_within(page, 0.5, since_ms)


def test_time_in_which_the_page_only_waits_is_not(page: Page) -> None:
    since_ms = Watch(page).now_ms()
    page.evaluate(SAY_LIVE, 60_000)
    with pytest.raises(AssertionError, match="not within"):
        assert_live_within(page, 0.5, since_ms)
