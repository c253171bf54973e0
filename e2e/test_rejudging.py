"""A record that is judged again comes to life on pages that had ended with it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from e2e.harness.pages import JUDGED_WITHIN_MS, Person, submit
from e2e.harness.programs import RIGHT
from e2e.harness.windows import SLACK_S
from tools.site_process import SiteProcess

TOLD_WITHIN_MS = 1_000 * (2 + SLACK_S)
FOLLOWS_WITHIN_MS = 1_000 * (2 + 2 + SLACK_S)
"""Looked at every 2 s, spread over 1.5 s."""
LONG_FINAL = """
from datetime import timedelta
from django.utils import timezone
from contest.models import Record
Record.objects.filter(pk={record}).update(judged_at=timezone.now() - timedelta(minutes=5))
"""

HELD = """
from datetime import timedelta
from django.utils import timezone
from contest.models import Record
Record.objects.filter(pk={record}).update(
    status="running", verdict="", worker="elsewhere/0", lease_expires_at=timezone.now() + timedelta(hours=1))
"""
FINAL = """
from contest.models import Record
Record.objects.filter(pk={record}).update(status="final", verdict="AC", worker="", lease_expires_at=None)
"""


def expect_ended(page: Page) -> None:
    expect(page.locator("[data-stream=record]")).to_have_attribute("data-state", "ended")


@pytest.mark.timeout(300)
def test_a_record_page_that_had_ended_follows_the_new_judging(person: Person, site: SiteProcess) -> None:
    alice, grace = person("alice"), person("grace")
    record = submit(alice, RIGHT)
    article = alice.locator("#record")
    expect(article).to_have_attribute("data-status", "final", timeout=JUDGED_WITHIN_MS)
    site.manage("shell", "-c", LONG_FINAL.format(record=record))
    jury = grace.context.new_page()
    for page in (alice, jury):
        page.goto(f"/records/{record}/")
        expect_ended(page)
    assert alice.locator("body").get_attribute("data-connection") == "live", "the other streams go on"
    alice.locator(".badge summary").click()
    expect(alice.locator("[data-stream=record] .stream-ending")).to_have_text("This record is final.")
    alice.keyboard.press("Escape")
    version = int(article.get_attribute("data-version") or 0)
    grace.goto(f"/records/{record}/")
    grace.get_by_role("link", name="Judge again …").click()
    grace.get_by_role("button", name="Judge it again").click()
    expect(grace.locator("#rejudging-list")).to_contain_text("of 1")
    expect(alice.locator("#notes")).to_contain_text("is being judged again", timeout=TOLD_WITHIN_MS)
    for page in (alice, jury):
        # The old verdict is final too: the page shows it until the new judging's first frame is there.
        expect(page.locator("#record")).not_to_have_attribute("data-version", str(version), timeout=JUDGED_WITHIN_MS)
        expect(page.locator("#record")).to_have_attribute("data-status", "final", timeout=JUDGED_WITHIN_MS)
        expect(page.locator("#case-rows tr").first).to_be_visible()
        assert int(page.locator("#record").get_attribute("data-version") or 0) > version
    expect(grace.locator("#rejudging-list")).to_contain_text("1 of 1", timeout=JUDGED_WITHIN_MS)
    expect(grace.locator("#problems-to-judge [data-going]")).to_have_count(0, timeout=JUDGED_WITHIN_MS)


@pytest.mark.timeout(300)
def test_what_can_be_judged_again_follows_what_is_being_judged(person: Person, site: SiteProcess) -> None:
    alice, grace = person("alice"), person("grace")
    record = submit(alice, RIGHT)
    expect(alice.locator("#record")).to_have_attribute("data-status", "final", timeout=JUDGED_WITHIN_MS)
    site.manage("shell", "-c", HELD.format(record=record))
    grace.goto("/staff/contests/demo/rejudge/?problem=A")
    line = grace.locator("#problems-to-judge li").first
    expect(line).to_contain_text("1 being judged")
    final = int((line.locator(".quiet").text_content() or "").split()[0])
    grace.get_by_label("Reason").fill("typed")
    site.manage("shell", "-c", FINAL.format(record=record))
    expect(line).to_contain_text(f"{final + 1} final", timeout=FOLLOWS_WITHIN_MS)
    expect(line).not_to_contain_text("being judged")
    expect(line.get_by_role("link", name="Judge again …")).to_be_visible()
    expect(grace.get_by_label("Reason")).to_have_value("typed")
