"""A real half-open link: site and browser on two machines, and every packet between them lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from e2e.conftest import SCREEN, Measured, NewSite
from e2e.harness.assertions import (
    assert_honest_badge,
    assert_known_within,
    assert_live_soon,
    assert_live_within,
    assert_no_doubles,
)
from e2e.harness.browser import another_chromium, chromium_program
from e2e.harness.namespaces import SITE_ADDRESS, Cable, cable
from e2e.harness.pages import OVERVIEW
from e2e.harness.sessions import enter_as
from e2e.harness.watch import Watch, install_watch
from e2e.harness.windows import HAPPENS_WITHIN_S, SHORT, SLACK_S
from tools.site_process import SiteProcess

RESENT_WITHIN_S = 8.0
"""TCP doubles its waits while nothing comes through: what is on its way when the link is whole again may
wait for about as long as the link was cut."""
POST = """
from contest.models import Contest, User
from contest.services.notices import post_notice
notice = post_notice(Contest.objects.get(slug="demo"), User.objects.get(username="grace"), title="{title}", body="-")
print(notice.pk)
"""


@pytest.fixture
def link() -> Iterator[Cable]:
    with cable() as made:
        yield made


@pytest.fixture
def site(link: Cable, new_site: NewSite) -> Iterator[SiteProcess]:
    process = new_site(
        FATHOM_HOST=SITE_ADDRESS, FATHOM_ALLOWED_HOSTS=SITE_ADDRESS, FATHOM_JUDGE_SLOTS="0", **SHORT.environment
    )
    process.program = [*link.site.prefix, *process.program]
    process.start()
    yield process
    process.end()


@pytest.fixture
def page(link: Cable, site: SiteProcess, browser: Browser, tmp_path: Path) -> Iterator[Page]:
    program = link.program(tmp_path / "chromium", chromium_program())
    with another_chromium(browser, program=program) as elsewhere:
        context = elsewhere.new_context(viewport=SCREEN, base_url=site.url)
        install_watch(context)
        page = enter_as(context, "alice", SITE_ADDRESS)
        page.goto(OVERVIEW)
        yield page


def test_packets_that_are_lost_without_a_word_are_noticed_in_time_and_nothing_is_lost_over_it(
    link: Cable, site: SiteProcess, page: Page, measured: Measured
) -> None:
    assert_live_soon(page)
    watch = Watch(page)
    cut_ms = watch.now_ms()
    link.cut()
    known_s = assert_known_within(page, SHORT.known_within_s, cut_ms)
    notice = int(site.manage("shell", "-v", "0", "-c", POST.format(title="Said over a cut cable")))
    assert link.lost_packets() > 0, "no packet was lost: there was no fault"
    assert "offline" not in watch.events(), "the browser was told"
    shown = page.locator(f"#notice-list [data-notice-id='{notice}']")
    assert shown.count() == 0, "it came through: there was no fault"
    healed_ms = watch.now_ms()
    link.mend()
    assert_live_within(page, SHORT.back_within_s + RESENT_WITHIN_S, healed_ms)
    assert_honest_badge(page, cut_ms=cut_ms, healed_ms=healed_ms, blind_s=SHORT.known_within_s)
    watch.wait_until(lambda: shown.count() == 1, HAPPENS_WITHIN_S, "the notice arrives")
    assert_no_doubles(page)
    measured("short windows: lost packets are known to all streams", known_s, SHORT.known_within_s + SLACK_S)


def test_a_cable_that_is_cut_for_a_moment_costs_nothing(link: Cable, site: SiteProcess, page: Page) -> None:
    """TCP sends again what was lost, so nothing is torn down."""
    assert_live_soon(page)
    watch = Watch(page)
    since_ms = watch.now_ms()
    link.cut()
    page.evaluate("void fetch('/healthz')")  # something to lose
    # The fault itself: no longer than that, because TCP waits for ever longer before it sends again.
    watch.wait_until(lambda: link.lost_packets() > 0, HAPPENS_WITHIN_S, "a packet is lost")
    link.mend()
    site.manage("shell", "-v", "0", "-c", POST.format(title="Said after a moment"))
    watch.wait_until(
        lambda: page.locator("#notice-list [data-notice-id]").count() == 1, HAPPENS_WITHIN_S, "the notice arrives"
    )
    assert watch.first_after("page", since_ms, lambda state: state not in ("live", "checking")) is None, watch.story()
    assert set(page.evaluate("window.fathom.connections().map((each) => each.sockets)")) == {1}
