"""On a phone, upright or on its side, notices fold behind one, and none covers a panel that is open."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import ViewportSize, WebSocketRoute, expect

from e2e.harness.jury import read_everything
from e2e.harness.pages import PROBLEM, Person, open_live, post_notice, refuse_connections
from e2e.harness.screens import PHONE, SMALL_PHONE, is_on_top, is_whole
from e2e.harness.watch import Watch, install_watch
from e2e.harness.windows import SLACK_S
from tools.site_process import SiteProcess

PAUSES_WITHIN_MS = 30_000
PRESSED_WITHIN_S = 1.0
"""From a press until the page has tried."""

SCREENS: dict[str, ViewportSize] = {
    "upright": PHONE,
    "on its side": {"width": 844, "height": 390},
    "a small tablet": {"width": 768, "height": 1024},
}


def test_notices_fold_behind_one_and_give_way_to_a_panel(person: Person, site: SiteProcess) -> None:
    bob, grace = person("bob"), person("grace")
    read_everything(site.url, "bob")
    bob.set_viewport_size(PHONE)
    open_live(bob, PROBLEM)
    first, second = (post_notice(grace, title, requires_ack=True) for title in ("Fold me", "Stand in front"))
    front = bob.locator(f"#alerts [data-notice-id='{second}']")
    folded = bob.locator(f"#alerts [data-notice-id='{first}']")
    expect(front).to_be_visible()
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


@pytest.mark.parametrize("screen", SCREENS.values(), ids=list(SCREENS))
def test_buttons_of_the_notice_in_front_and_of_the_others_are_in_view(
    person: Person, site: SiteProcess, screen: ViewportSize
) -> None:
    bob, grace = person("bob"), person("grace")
    read_everything(site.url, "bob")
    bob.set_viewport_size(screen)
    open_live(bob, PROBLEM)
    for title in ("The lamps", "The cables", "The chairs"):
        front = post_notice(grace, title, requires_ack=True, body="Not one of them. " * 40)
        expect(bob.locator(f"#alerts [data-notice-id='{front}']")).to_be_visible()
    button = bob.locator(f"#alerts [data-notice-id='{front}'] button")
    more = bob.locator(".stack-more")
    expect(more).to_have_text("2 more notices")
    assert is_whole(button), "the button of the notice is cut"
    assert is_whole(more), "the button of the others is cut"
    more.click()
    expect(more).to_have_text("Show only one notice")
    assert is_whole(more), "nobody can fold them again without scrolling"


@pytest.mark.parametrize("screen", SCREENS.values(), ids=list(SCREENS))
def test_an_alert_leaves_try_now_free(person: Person, site: SiteProcess, screen: ViewportSize) -> None:
    carol, grace = person("carol"), person("grace")
    read_everything(site.url, "carol")
    install_watch(carol.context)
    carol.set_viewport_size(screen)
    notice = post_notice(grace, "Do not touch the cables", requires_ack=True, body="Not one of them. " * 40)
    refused = refuse_connections(carol)
    carol.goto(PROBLEM)
    alert = carol.locator(f"#alerts [data-notice-id='{notice}']")
    expect(alert).to_be_visible()
    expect(carol.locator("body")).to_have_attribute("data-connection", re.compile("reconnecting|paused"))
    badge, try_now = carol.locator(".badge > summary"), carol.locator(".try-now")
    assert is_on_top(badge), "the alert covers the badge"
    badge.click()
    expect(alert).to_be_hidden()
    assert is_on_top(try_now), "something covers it"
    watch = Watch(carol)
    watch.wait_for_a_pause(PRESSED_WITHIN_S + SLACK_S)
    before = len(refused)
    try_now.click()
    watch.wait_until(lambda: len(refused) > before > 0, PRESSED_WITHIN_S + SLACK_S, "the press has tried")
    expect(carol.locator(".stack-more")).to_be_visible()


def test_a_badge_that_grows_beside_an_open_panel_stays_within_reach_and_escape_closes_the_panel(person: Person) -> None:
    alice = person("alice")
    install_watch(alice.context)
    alice.set_viewport_size(SMALL_PHONE)
    carried: list[WebSocketRoute] = []
    refused: list[str] = []
    is_cut = False

    def carry(socket: WebSocketRoute) -> None:
        if is_cut:
            refused.append(socket.url)
            socket.close(code=1011)
        else:
            carried.append(socket)
            socket.connect_to_server()

    alice.route_web_socket("**/ws/**", carry)
    alice.route("**/rt/**", lambda route: route.abort())
    open_live(alice, PROBLEM)
    ask, badge = alice.locator("details.ask"), alice.locator(".badge > summary")
    panel = alice.locator("details.ask[open]")
    ask.locator("summary").click()
    place = badge.bounding_box()
    is_cut = True
    for socket in carried:
        socket.close(code=1011)
    expect(badge).to_contain_text("the server is busy", timeout=PAUSES_WITHIN_MS)
    Watch(alice).wait_for_a_pause(PRESSED_WITHIN_S + SLACK_S)
    grown = badge.bounding_box()
    assert refused, "nothing was cut"
    assert place is not None
    assert grown is not None
    assert grown["y"] > place["y"], "the badge has found room on its line"
    expect(panel).to_have_count(1)
    assert is_on_top(badge), "the panel covers the badge"
    alice.locator("#ask-text").click()
    alice.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    ask.locator("summary").click()
    alice.locator("#ask-help").click()
    assert alice.evaluate("document.activeElement === document.body"), "the focus is somewhere"
    alice.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    ask.locator("summary").click()
    badge.click()
    assert is_on_top(alice.locator(".try-now"))


def test_a_critical_notice_stays_in_front_of_what_comes_after_it(person: Person, site: SiteProcess) -> None:
    alice, grace = person("alice"), person("grace")
    read_everything(site.url, "alice")
    alice.set_viewport_size(PHONE)
    open_live(alice, PROBLEM)
    critical = post_notice(grace, "Leave the building", requires_ack=True, level="critical")
    front = alice.locator(f"#alerts [data-notice-id='{critical}']")
    expect(front).to_be_visible()
    later = post_notice(grace, "Lunch is late", requires_ack=False)
    folded = alice.locator(f"#alerts [data-notice-id='{later}']")
    expect(folded).to_have_count(1)
    expect(front).to_be_visible()
    expect(folded).to_be_hidden()
    alice.reload()
    expect(alice.locator("#alerts .alert").first).to_have_attribute("data-notice-id", str(critical))
    expect(front).to_be_visible()
