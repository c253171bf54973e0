"""On a phone notices fold behind one, and none covers a panel that is open."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from e2e.harness.pages import PROBLEM, Person, open_live, post_notice

WITHIN_MS = 5_000


def test_notices_fold_behind_one_and_give_way_to_a_panel(person: Person) -> None:
    bob, grace = person("bob"), person("grace")
    bob.set_viewport_size({"width": 390, "height": 844})
    open_live(bob, PROBLEM)
    first, second = (post_notice(grace, title, requires_ack=True) for title in ("Fold me", "Stand in front"))
    front = bob.locator(f"#alerts [data-notice-id='{second}']")
    folded = bob.locator(f"#alerts [data-notice-id='{first}']")
    expect(front).to_be_visible(timeout=WITHIN_MS)
    expect(folded).to_be_hidden()
    more = bob.locator(".stack-more")
    expect(more).to_have_text(re.compile(r"^\d+ more notices?$"))
    bob.locator("details.ask summary").click()
    expect(front).to_be_hidden()
    expect(more).to_have_text(re.compile(r"^\d+ notices?$"))
    more.click()
    expect(bob.locator("details.ask")).not_to_have_attribute("open", "")
    for alert in (front, folded):
        expect(alert).to_be_visible()
    button = front.get_by_role("button", name="Confirm that I have read it")
    button.focus()
    bob.keyboard.press("Enter")
    expect(front).to_have_count(0)
    expect(bob.locator("#alerts button:focus")).to_have_count(1)
    folded.get_by_role("button", name="Confirm that I have read it").click()
    expect(folded).to_have_count(0)
