"""A contestant's submissions are judged before her eyes, and before nobody else's."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from e2e.harness.frames import FrameTap
from e2e.harness.pages import JUDGED_WITHIN_MS, Person, submit
from e2e.harness.programs import BY_VERDICT, RIGHT

TRIES = 5
MADE_BEFORE = """() => {
    const { record, cases } = JSON.parse(document.getElementById("fathom-page").textContent).streams.record.data;
    return record.status !== "final" && cases.length === 0;
}"""


def submit_ahead(page: Page, source: str) -> int:
    """Submit, and come to a page that was made before the judge had anything to say; a program that does not even
    compile may be judged sooner than a busy site makes the page, and then nothing is left to come live."""
    for _ in range(TRIES):
        record = submit(page, source)
        if page.evaluate(MADE_BEFORE):
            return record
    raise AssertionError("the judge was faster than the page every time")


def _both_shapes(verdict: str) -> object:
    """What a program is blamed for does not depend on the database; that it arrives may."""
    return pytest.param(verdict, marks=pytest.mark.both_shapes) if verdict in ("AC", "WA") else verdict


@pytest.mark.parametrize("verdict", [_both_shapes(each) for each in BY_VERDICT])
def test_each_verdict_arrives_on_the_record_page_without_a_reload(person: Person, verdict: str) -> None:
    page = person("alice")
    tap = FrameTap(page)
    loads: list[str] = []
    record = submit_ahead(page, BY_VERDICT[verdict])
    page.on("load", lambda _: loads.append(page.url))

    row = page.locator(f"[data-record-id='{record}']").first
    expect(row).to_have_attribute("data-status", "final", timeout=JUDGED_WITHIN_MS)
    expect(row).to_contain_text(verdict)
    assert loads == [], "the page was loaded again"
    finals = [
        event
        for event in tap.events("record.updated")
        if event["data"]["status"] == "final" and event["data"]["id"] == record
    ]
    assert finals, "the verdict did not come over the socket"
    assert finals[-1]["data"]["verdict"] == verdict
    if verdict == "CE":
        expect(page.locator("body")).to_contain_text("error")
        expect(page.locator("[data-case-index]")).to_have_count(0)
    if verdict == "WA":
        expect(page.locator("[data-case-verdict='WA'], [data-case-index][data-verdict='WA']").first).to_be_visible()


@pytest.mark.both_shapes
def test_cases_of_an_accepted_program_come_one_by_one(person: Person) -> None:
    page = person("alice")
    tap = FrameTap(page)
    record = submit_ahead(page, RIGHT)
    expect(page.locator(f"[data-record-id='{record}']").first).to_have_attribute(
        "data-status", "final", timeout=JUDGED_WITHIN_MS
    )
    indices = [event["data"]["index"] for event in tap.events("case.finished") if event["data"]["record"] == record]
    assert len(indices) >= 2, "no progress was seen: cases did not come live"
    assert indices == sorted(set(indices)), "a case came twice or out of order"
    shown = page.locator("[data-case-index]")
    expect(shown).to_have_count(len({*indices, *range(1, max(indices) + 1)}))
    expect(page.locator("[data-case-index][data-verdict='AC']")).to_have_count(shown.count())


@pytest.mark.both_shapes
def test_another_contestant_receives_no_frame_about_a_foreign_record(person: Person) -> None:
    alice, bob = person("alice"), person("bob")
    tap = FrameTap(bob)
    bob.goto("/contests/demo/records/")
    expect(bob.locator("body")).to_have_attribute("data-connection", "live")
    record = submit(alice, RIGHT)
    expect(alice.locator(f"[data-record-id='{record}']").first).to_have_attribute(
        "data-status", "final", timeout=JUDGED_WITHIN_MS
    )
    # Bob's connections carry things: what he submits himself arrives after Alice's record is final.
    own = submit(bob, RIGHT)
    expect(bob.locator(f"[data-record-id='{own}']").first).to_have_attribute(
        "data-status", "final", timeout=JUDGED_WITHIN_MS
    )
    about = [frame for frame in tap.received if _mentions(frame, record)]
    assert any(_mentions(frame, own) for frame in tap.received), "the tap saw nothing at all"
    assert about == []


def _mentions(frame: dict[str, object], record: int) -> bool:
    data = frame.get("data")
    if not isinstance(data, dict):
        return False
    listed = [row.get("id") for row in data.get("records", [])] if isinstance(data.get("records"), list) else []
    return record in (data.get("record"), *listed) or (data.get("id") == record and "status" in data)
