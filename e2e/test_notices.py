"""A notice reaches every open page at once, stays until it is confirmed, and is confirmed once."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from e2e.harness.frames import Frame, FrameTap
from e2e.harness.jury import read_everything
from e2e.harness.pages import Person, open_live, post_notice
from e2e.harness.watch import Watch, install_watch
from e2e.harness.windows import HAPPENS_WITHIN_S, SLACK_S
from tools.site_process import SiteProcess

ARRIVES_WITHIN_S = 1.0
NOTE_ARRIVAL = """() => {
  const note = () => { window.arrivedMs ??= performance.timeOrigin + performance.now(); };
  new MutationObserver(note).observe(document.querySelector("#alerts"), { childList: true });
}"""
NOTE_SENDING = """addEventListener("submit", () => {
  sessionStorage.setItem("sentMs", String(performance.timeOrigin + performance.now()));
}, true)"""
PAGES = ["/contests/demo/", "/contests/demo/problems/A/", "/contests/demo/standings/"]


@pytest.mark.both_shapes
def test_a_notice_is_on_three_pages_of_both_contestants_within_a_second(person: Person, site: SiteProcess) -> None:
    open_pages: list[Page] = []
    for name in ("alice", "bob"):
        read_everything(site.url, name)
        first = person(name)
        install_watch(first.context)
        pages = [first, first.context.new_page(), first.context.new_page()]
        open_pages += [open_live(page, path) for page, path in zip(pages, PAGES, strict=True)]
    grace = person("grace")
    grace.add_init_script(NOTE_SENDING)

    for page in open_pages:
        page.evaluate(NOTE_ARRIVAL)
    notice = post_notice(grace, "Problem A: input is in one line", requires_ack=False)
    sent_ms = grace.evaluate("Number(sessionStorage.getItem('sentMs'))")
    for page in open_pages:
        alert = page.locator(f"#alerts [data-notice-id='{notice}']")
        expect(alert).to_be_visible()
        expect(alert).to_contain_text("input is in one line")
        arrived_ms = page.evaluate("window.arrivedMs - performance.timeOrigin")
        asked_ms = sent_ms - page.evaluate("performance.timeOrigin")
        # Others may have taken the processors from the page meanwhile, and from the server.
        took_s = Watch(page).own_s(asked_ms, (arrived_ms - asked_ms) / 1000)
        assert arrived_ms > asked_ms and took_s < ARRIVES_WITHIN_S + SLACK_S


@pytest.mark.both_shapes
def test_a_notice_that_must_be_confirmed_stays_until_it_is_and_is_confirmed_once(
    person: Person, site: SiteProcess
) -> None:
    read_everything(site.url, "alice")
    alice, grace = person("alice"), person("grace")
    install_watch(alice.context)
    open_live(alice, "/contests/demo/")
    notice = post_notice(grace, "Evacuate the hall", requires_ack=True)
    alert = alice.locator(f"#alerts [data-notice-id='{notice}']")
    expect(alert.first).to_be_visible()
    alice.reload()
    expect(alert.first).to_be_visible()
    assert _ledger(grace, notice)["counts"]["confirmed"] == 0

    tap = FrameTap(alice)
    open_live(alice, "/contests/demo/")
    alert.first.get_by_role("button", name="Confirm").click()
    expect(alert).to_have_count(0)
    acks = tap.sent_commands("ack")
    assert len(acks) == 1, "the first confirmation was not sent over the socket"
    # The same confirmation once more, as a repeat after a lost reply would send it.
    alice.evaluate(
        "([id, version]) => void window.fathom.command('announcements', 'ack', {notices: [{id, version}]})",
        [notice, acks[0]["data"]["notices"][0]["version"]],
    )
    Watch(alice).wait_until(lambda: len(tap.sent_commands("ack")) == 2, HAPPENS_WITHIN_S, "it is sent once more")
    repeat = _wait_for_reply(alice, tap, tap.sent_commands("ack")[1])
    assert repeat["ok"]
    assert _ledger(grace, notice)["counts"]["confirmed"] == 1
    alice.reload()
    expect(alice.locator("body")).to_have_attribute("data-connection", "live")
    expect(alert).to_have_count(0)


def _wait_for_reply(page: Page, tap: FrameTap, command: Frame) -> Frame:
    """The reply to `command` on its stream; the page's frames are read while we wait."""
    for _ in range(100):
        for frame in tap.received:
            if frame.get("type") == "reply" and frame["client_seq"] == command["client_seq"]:
                return frame
        page.wait_for_timeout(50)
    raise AssertionError(f"no reply to {command}")


def _ledger(staff: Page, notice: int) -> dict[str, dict[str, int]]:
    answer = staff.request.get(f"/staff/contests/demo/notices/{notice}/?format=json")
    assert answer.ok
    ledger: dict[str, dict[str, int]] = answer.json()
    return ledger
