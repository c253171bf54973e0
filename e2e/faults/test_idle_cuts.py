"""Something between browser and server loses patience with silence: loudly, as nginx, or without a word, as a NAT."""

from __future__ import annotations

from pathlib import Path

import pytest

from e2e.faults.conftest import Enter
from e2e.harness.assertions import (
    assert_live_soon,
    assert_live_within,
    assert_no_doubles,
    assert_no_loss,
    is_not_live,
    notices_on,
)
from e2e.harness.fault_proxy import FaultProxy
from e2e.harness.jury import Jury
from e2e.harness.nginx import Ended, Nginx, nginx
from e2e.harness.pages import OVERVIEW
from e2e.harness.watch import Watch
from e2e.harness.windows import HAPPENS_WITHIN_S, QUICK, SLACK_S
from tools.site_process import SiteProcess

pytestmark = pytest.mark.quick

IMPATIENT_S = 1
"""Less than the server's heartbeat, so that its silence is cut …"""
PATIENT_S = 4
"""… and more, so that it is not."""
WATCHED_S = 5.0
LOGGED_SHORT_S = 0.05
"""nginx reads its clock once a turn of its loop, so what it logs as a connection's age can be some ms too little."""


def test_nginx_that_cuts_idle_connections_costs_nothing_but_a_moment(
    enter: Enter, site: SiteProcess, jury: Jury, tmp_path: Path
) -> None:
    with nginx(site.port, tmp_path, silence_s=IMPATIENT_S) as cutting:
        page = enter("bob", OVERVIEW, url=cutting.url)
        assert_live_soon(page)
        watch = Watch(page)
        watch.wait_until(lambda: len(_cut(cutting)) > 0, HAPPENS_WITHIN_S, "nginx cuts an idle connection")
        assert _cut(cutting)[0].lasted_s >= IMPATIENT_S - LOGGED_SHORT_S
        jury.post_notice("Said into the gap")
        assert_no_loss(page, jury)
        watch.wait_until(lambda: len(_cut(cutting)) > 1, HAPPENS_WITHIN_S, "it cuts again")
        jury.post_notice("Said after the second cut")
        assert_no_loss(page, jury)
        assert_no_doubles(page)
        # nginx writes of a cut before the page hears of it.
        watch.wait_until(lambda: _said(watch).count("reconnecting") >= 2, HAPPENS_WITHIN_S, "the page has said so")


def test_the_servers_heartbeat_keeps_a_quiet_page_open_behind_a_patient_nginx(
    enter: Enter, site: SiteProcess, tmp_path: Path
) -> None:
    """Grace's page has no timer: nothing but the heartbeat is on its connection, and no late answer is doubted."""
    with nginx(site.port, tmp_path, silence_s=PATIENT_S) as patient:
        page = enter("grace", OVERVIEW, url=patient.url)
        assert_live_soon(page)
        assert Watch(page).names() == ["announcements", "page"]
        since_ms = Watch(page).now_ms()
        page.wait_for_timeout(WATCHED_S * 1000)
        assert PATIENT_S < WATCHED_S, "nginx had no occasion"
        assert patient.ended_sockets() == []
        assert Watch(page).first_after("page", since_ms, is_not_live) is None


def test_a_silent_cut_is_found_by_the_silence_itself_where_no_timer_runs(
    enter: Enter, site: SiteProcess, proxy: FaultProxy, jury: Jury
) -> None:
    """Grace's pages have no timer: nothing is sent until the heartbeat is missed."""
    page, witness = enter("grace", OVERVIEW), enter("bob", OVERVIEW, url=site.url)
    for each in (page, witness):
        assert_live_soon(each)
    assert Watch(page).names() == ["announcements", "page"]
    proxy.faults.forget_after_s = QUICK.heartbeat_ms / 3000
    watch = Watch(page)
    watch.wait_until(lambda: proxy.counts.forgotten > 0, HAPPENS_WITHIN_S, "the connection is forgotten")
    cut_ms = watch.now_ms()
    proxy.faults.forget_after_s = None
    notice = jury.post_notice("Said to nobody")
    Watch(witness).wait_until(
        lambda: notice in notices_on(witness), HAPPENS_WITHIN_S, "it reaches a page that nothing cuts off"
    )
    assert notice not in notices_on(page), "it came through: nothing was cut"
    assert watch.state("page") == "live", "something told the page: this was no silent cut"
    bound_s = QUICK.silence_noticed_within_s
    watch.wait_until(lambda: watch.state("page") != "live", bound_s + SLACK_S, "the page notices the silence")
    assert (watch.first_after("page", cut_ms, is_not_live) or 0) <= (bound_s + SLACK_S) * 1000
    assert_live_within(page, 2 + QUICK.probe_ms / 1000)
    assert_no_loss(page, jury)
    assert_no_doubles(page)


def test_one_forgotten_connection_beside_a_talkative_one_is_found_as_well(
    enter: Enter, proxy: FaultProxy, jury: Jury
) -> None:
    """The timer's reports keep its own connection alive, so they prove nothing for the quiet one."""
    page = enter("carol", OVERVIEW)
    assert_live_soon(page)
    proxy.faults.forget_after_s = 1.2 * QUICK.report_ms / 1000
    watch = Watch(page)
    watch.wait_until(lambda: proxy.counts.forgotten > 0, HAPPENS_WITHIN_S, "the quiet connection is forgotten")
    proxy.faults.forget_after_s = None
    since_ms = watch.now_ms()
    jury.post_notice("Said beside the timer")
    bound_s = QUICK.silence_noticed_within_s
    watch.wait_until(
        lambda: watch.first_after("announcements", since_ms, is_not_live) is not None,
        bound_s + SLACK_S,
        "it is noticed",
    )
    assert_live_within(page, 3)
    assert_no_loss(page, jury)
    assert_no_doubles(page)


def _said(watch: Watch) -> list[str]:
    return [change.state for change in watch.changes() if change.name == "announcements"]


def _cut(proxy: Nginx) -> list[Ended]:
    """The quiet connections that nginx has ended."""
    return [each for each in proxy.ended_sockets() if each.path.endswith("/announcements")]
