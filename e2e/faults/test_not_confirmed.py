"""What was sent and not answered looks so, in words, wherever a person sends something, until it is answered."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from e2e.faults.conftest import Enter
from e2e.harness.assertions import assert_live_within
from e2e.harness.carrying import Direction
from e2e.harness.fault_proxy import FaultProxy
from e2e.harness.jury import Jury, Visitor
from e2e.harness.solving import asked, open_problem, write
from e2e.harness.windows import HAPPENS_WITHIN_S, SHORT
from tools.site_process import SiteProcess

DOUBTED_WITHIN_MS = SHORT.probe_ms + HAPPENS_WITHIN_S * 1_000
NOT_CONFIRMED = re.compile("^not confirmed yet: waiting for the (server|connection)$")
STOP_NOT_CONFIRMED = re.compile("^stopping is not confirmed yet: waiting for the (server|connection)$")
HEALS_WITHIN_MS = 1_000 * (SHORT.back_within_s + HAPPENS_WITHIN_S)


@pytest.fixture
def carol(site: SiteProcess) -> Visitor:
    return Visitor(site.url, "carol")


def cut(page: Page, proxy: FaultProxy) -> None:
    proxy.black_hole(Direction.DOWN)
    assert page.locator("body").get_attribute("data-connection") == "live", "the page knows it already"


def test_a_question_a_confirmation_and_a_self_test(enter: Enter, proxy: FaultProxy, jury: Jury, carol: Visitor) -> None:
    page = open_problem(enter, "carol")
    write(page, "print(1)")
    title = "To be confirmed"
    notice = jury.post_notice(title, requires_ack=True)
    alert = page.locator(f"#alerts [data-notice-id='{notice}']")
    expect(alert).to_be_visible()
    page.locator("details.ask summary").click()
    page.locator("#ask-text").fill("Was this asked once?")
    cut(page, proxy)
    page.get_by_role("button", name="Send to the jury").click()
    page.locator("details.ask summary").click()
    alert.get_by_role("button").click()
    page.locator("#selftest-run").click()
    state = page.locator("#selftest-state")
    expect(page.locator("#ask-progress")).to_have_text(NOT_CONFIRMED, timeout=DOUBTED_WITHIN_MS)
    expect(alert.locator(".alert-progress")).to_have_text(NOT_CONFIRMED)
    expect(state).to_have_text(NOT_CONFIRMED)
    assert proxy.counts.swallowed[Direction.DOWN] > 0
    assert "Was this asked once?" in asked(carol), "the answer alone was lost"
    proxy.heal()
    expect(page.locator("#ask-progress")).to_have_text("Your question is with the jury.", timeout=HEALS_WITHIN_MS)
    expect(alert).to_have_count(0)
    expect(state).to_have_text(re.compile("^waiting"))
    assert asked(carol).count("Was this asked once?") == 1
    assert jury.ledger(notice)["counts"]["confirmed"] == 1
    assert_live_within(page, SHORT.back_within_s)  # the streams come back one after the other
    page.locator("#selftest-stop").click()
    expect(state).to_have_text("stopped", timeout=HEALS_WITHIN_MS)


def test_stopping_a_self_test(enter: Enter, proxy: FaultProxy) -> None:
    page = open_problem(enter, "carol")
    write(page, "print(1)")
    state = page.locator("#selftest-state")
    page.locator("#selftest-run").click()
    expect(state).to_have_text(re.compile("^waiting"))
    cut(page, proxy)
    page.locator("#selftest-stop").click()
    expect(state).to_have_text(STOP_NOT_CONFIRMED, timeout=DOUBTED_WITHIN_MS)
    proxy.heal()
    expect(state).to_have_text("stopped", timeout=HEALS_WITHIN_MS)


def test_a_notice_that_the_jury_posts_into_a_dead_path_stays_in_the_form_and_is_posted_once(
    enter: Enter, proxy: FaultProxy, jury: Jury
) -> None:
    page = enter("grace", "/staff/contests/demo/")
    expect(page.locator("body")).to_have_attribute("data-connection", "live")
    before = len(jury.notices_in_force())
    form = page.locator("#notice-form")
    form.locator("[name=title]").fill("Water in the hall")
    form.locator("[name=body]").fill("Bring boots.")
    proxy.black_hole(Direction.DOWN)
    form.get_by_role("button", name="Post").click()
    outbox = form.locator(".outbox")
    expect(outbox).to_contain_text(re.compile("The notice is not confirmed: the site"), timeout=DOUBTED_WITHIN_MS)
    expect(form.locator("[name=title]")).to_have_value("Water in the hall")
    assert len(jury.notices_in_force()) == before + 1, "the answer alone was lost"
    proxy.heal()
    expect(page.locator("body")).to_have_attribute("data-connection", "live", timeout=HEALS_WITHIN_MS)
    outbox.get_by_role("button", name="Try now").click()
    expect(outbox).to_contain_text("The notice is sent.", timeout=HEALS_WITHIN_MS)
    posted = page.locator("#posted-notices").get_by_role("link", name="Water in the hall")
    expect(posted).to_be_visible(timeout=HEALS_WITHIN_MS)
    assert len(jury.notices_in_force()) == before + 1
