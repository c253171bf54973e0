"""A page that stays open, or comes back, shows what a fresh one shows."""

from __future__ import annotations

from playwright.sync_api import expect

from e2e.harness.pages import JUDGED_WITHIN_MS, Person, open_live, submit
from e2e.harness.programs import RIGHT
from e2e.harness.windows import SLACK_S

AT_ONCE_MS = 1_000 * (1 + SLACK_S)
PROBLEM = "/contests/demo/problems/A/"


def test_what_is_submitted_in_another_tab_or_before_going_back_is_among_the_latest_records(person: Person) -> None:
    first = person("carol")
    open_live(first, PROBLEM)
    second = first.context.new_page()
    record = submit(second, RIGHT)
    row = first.locator(f"#latest-records [data-record-id='{record}']")
    expect(row).to_be_visible(timeout=AT_ONCE_MS)
    expect(row).to_have_attribute("data-status", "final", timeout=JUDGED_WITHIN_MS)
    expect(first.locator("#no-latest")).to_be_hidden()
    second.go_back()
    expect(second.locator("body")).to_have_attribute("data-connection", "live")
    expect(second.locator(f"#latest-records [data-record-id='{record}']")).to_be_visible(timeout=AT_ONCE_MS)
