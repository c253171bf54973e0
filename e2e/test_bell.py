"""What the jury says is heard once, whatever pages are open; and nothing is taken from whoever types."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from e2e.conftest import SCREEN
from e2e.harness.bell import (
    CRITICAL,
    PLAIN,
    TAKEN_FOR_MS,
    Onlooker,
    claims,
    install_bell_spy,
    let_sound,
    notifications,
    sounds,
    wait_for_sounds,
    wait_until_told,
)
from e2e.harness.jury import Jury, read_everything
from e2e.harness.pages import OVERVIEW, PROBLEM, Person, open_live
from e2e.harness.sessions import enter_as, sign_in_as
from tools.site_process import SiteProcess

ROUNDS = 10


@pytest.fixture
def jury(site: SiteProcess) -> Jury:
    """Grace, with everything read that was said before."""
    for username in ("alice", "bob", "carol"):
        read_everything(site.url, username)
    return Jury(site.url)


def windows(person: Person, username: str, count: int = 2, **choices: bool | str) -> list[Page]:
    """Pages of one person, all of them visible and in use."""
    first = person(username)
    install_bell_spy(first.context, **choices)  # type: ignore[arg-type]
    pages = [first, *(first.context.new_page() for _ in range(count - 1))]
    for page in pages:
        open_live(page, PROBLEM)
        let_sound(page)
    return pages


def expect_alert(notice: int, *pages: Page) -> None:
    for page in pages:
        expect(page.locator(f"#alerts [data-notice-id='{notice}']")).to_be_visible()


@pytest.mark.parametrize("without", ["nothing", "channel", "memory"])
def test_windows_that_hear_of_notices_at_the_same_moment_make_one_sound_for_each(
    person: Person, jury: Jury, without: str
) -> None:
    pages = windows(person, "alice", has_channel=without != "channel", has_memory=without != "memory")
    complaints: list[str] = []
    for page in pages:
        page.on("pageerror", lambda error: complaints.append(str(error)))
        assert page.evaluate("document.visibilityState") == "visible"
    wait_for_sounds(0, *pages)
    for count in range(1, ROUNDS + 1):
        notice = jury.post_notice(f"Round {count} without {without}")
        expect_alert(notice, *pages)
        wait_for_sounds(count, *pages)
        # A page that hears of a notice so late that the other one has sounded takes part in no race.
        has_raced = without == "channel" or all(claims(page) > 0 for page in pages)
        if without != "nothing" and count > 1 and has_raced:
            break
    assert has_raced, "there was no race"
    if without == "nothing":
        pages[0].wait_for_timeout(TAKEN_FOR_MS)
    assert len(sounds(*pages)) == count
    assert notifications(*pages) == [], "somebody looked at a page"
    assert complaints == []


def test_what_was_heard_is_not_heard_again_after_a_reload_or_by_a_late_page_but_a_new_version_is(
    person: Person, jury: Jury
) -> None:
    (page,) = windows(person, "bob", 1)
    notice = jury.post_notice("Heard before the reload")
    expect_alert(notice, page)
    wait_for_sounds(1, page)
    page.reload()
    late = open_live(page.context.new_page(), OVERVIEW)
    expect_alert(notice, page, late)  # unread, and shown by both
    let_sound(page)
    critical = jury.post_notice("Heard after it", level="critical")
    expect_alert(critical, page, late)
    wait_for_sounds(1, page, late)
    assert sounds(page, late) == [CRITICAL], "the old one sounded as well"
    jury.edit_notice(notice, "Heard as a new version")
    expect(page.locator(f"#alerts [data-notice-id='{notice}'][data-version='2']")).to_be_visible()
    wait_for_sounds(2, page, late)
    assert sorted(sounds(page, late)) == [PLAIN, CRITICAL]


def test_what_came_while_everything_was_closed_sounds_once_on_opening_unless_it_was_confirmed_elsewhere(
    person: Person, jury: Jury
) -> None:
    (page,) = windows(person, "carol", 1)
    page.goto("/accounts/profile/")
    unread, read = jury.post_notice("Said while all was closed"), jury.post_notice("Read on another machine")
    elsewhere = open_live(person("carol"), OVERVIEW)
    elsewhere.locator(f"#alerts [data-notice-id='{read}'] button").click()
    expect(elsewhere.locator(f"#alerts [data-notice-id='{read}']")).to_have_count(0)
    open_live(page, PROBLEM)
    let_sound(page)
    expect_alert(unread, page)
    expect(page.locator(f"#alerts [data-notice-id='{read}']")).to_have_count(0)
    wait_for_sounds(1, page)
    open_live(page, OVERVIEW)
    expect_alert(unread, page)
    told = jury.post_notice("The next one", level="critical")
    expect_alert(told, page)
    wait_for_sounds(1, page)
    assert sounds(page) == [CRITICAL]


def test_another_person_in_the_same_browser_hears_what_the_first_one_has_heard(
    site: SiteProcess, browser: Browser, jury: Jury
) -> None:
    with browser.new_context(viewport=SCREEN, base_url=site.url) as context:
        install_bell_spy(context)
        page = open_live(enter_as(context, "alice"), OVERVIEW)
        let_sound(page)
        notice = jury.post_notice("Said to two who share a machine")
        expect_alert(notice, page)
        wait_for_sounds(1, page)
        for username, heard in (("bob", 1), ("alice", 0)):
            context.clear_cookies()
            sign_in_as(context, username)
            open_live(page, OVERVIEW)
            let_sound(page)
            expect_alert(notice, page)
            wait_until_told(page, notice)
            wait_for_sounds(heard, page)


def test_a_notification_is_asked_for_by_a_button_comes_when_nobody_looks_and_goes_when_it_is_read(
    person: Person, jury: Jury
) -> None:
    page, other = windows(person, "alice", permission="default")
    assert page.evaluate("window.bell.asked") == 0, "the page has asked by itself"
    page.locator(".bell > summary").click()
    page.get_by_role("button", name="Allow notifications").click()
    expect(page.locator(".bell-permission")).to_contain_text("while no page of this contest is in front of you")
    assert page.evaluate("window.bell.asked") == 1
    page.locator(".bell > summary").press("Escape")
    other.evaluate("window.bell.permission = 'granted'")  # as the browser does for all pages of a site
    for each in (page, other):
        each.evaluate("window.bell.isAway = true")
    notice = jury.post_notice("Said to nobody's eyes")
    expect_alert(notice, page, other)
    wait_for_sounds(1, page, other)
    (shown,) = notifications(page, other)
    assert (shown["title"], shown["silent"]) == ("Said to nobody's eyes", True)
    assert shown["tag"].endswith(f"/notice/{notice}/1")
    teller = page if notifications(page) else other
    teller.evaluate("window.focus = () => { window.bell.isFocused = true; }; window.bell.last.onclick();")
    assert teller.evaluate("window.bell.isFocused") is True
    expect(teller.locator(f"#alerts [data-notice-id='{notice}'][data-front]")).to_be_visible()
    assert teller.evaluate("window.bell.closed") == [shown["tag"]]
    other.evaluate("window.bell.isAway = false")
    looked_at = jury.post_notice("Said while one window is looked at")
    expect_alert(looked_at, page, other)
    wait_for_sounds(2, page, other)
    assert len(notifications(page, other)) == 1
    page.locator(f"#alerts [data-notice-id='{notice}'] button").click()
    expect(teller.locator(f"#alerts [data-notice-id='{notice}']")).to_have_count(0)
    assert teller.evaluate("window.bell.closed") == [shown["tag"]] * 2


def test_a_browser_that_blocks_notifications_is_told_of_in_words_and_sounds_all_the_same(
    person: Person, jury: Jury
) -> None:
    (page,) = windows(person, "bob", 1, permission="denied", is_away=True)
    page.locator(".bell > summary").click()
    expect(page.locator(".bell-permission")).to_contain_text("blocks notifications")
    expect(page.get_by_role("button", name="Allow notifications")).to_be_hidden()
    jury.post_notice("Said to a browser that blocks")
    wait_for_sounds(1, page)
    assert notifications(page) == []


def test_in_a_page_that_nobody_has_used_yet_the_sound_comes_with_the_first_click(
    site: SiteProcess, browser: Browser, jury: Jury
) -> None:
    with browser.new_context(viewport=SCREEN, base_url=site.url) as context:
        install_bell_spy(context)
        page = enter_as(context, "bob")
        page.goto(OVERVIEW)
        onlooker = Onlooker(page)
        onlooker.wait_for("document.body.dataset.connection === 'live'")
        notice = jury.post_notice("Said to an untouched page")
        onlooker.wait_for(f"Object.values(localStorage).join().includes('notice/{notice}')")
        assert onlooker.read("navigator.userActivation.hasBeenActive") is False
        assert onlooker.read("window.bell.sounds") == [], "the browser lets untouched pages sound"
        let_sound(page)
        wait_for_sounds(1, page)


def test_sound_is_switched_off_and_on_for_all_open_pages_and_tried_by_a_button(person: Person, jury: Jury) -> None:
    page, other = windows(person, "carol")
    for each in (page, other):
        each.locator(".bell > summary").focus()
        each.keyboard.press("Enter")
    page.get_by_label("Play a sound").uncheck()
    expect(other.get_by_label("Play a sound")).not_to_be_checked()
    notice = jury.post_notice("Said without a sound")
    expect_alert(notice, page, other)
    for each in (page, other):
        wait_until_told(each, notice)
    page.get_by_role("button", name="Play it").click()
    wait_for_sounds(1, page)
    assert sounds(page, other) == [PLAIN], "the notice sounded"
    other.get_by_label("Play a sound").check()
    expect(page.get_by_label("Play a sound")).to_be_checked()
    jury.post_notice("Said with a sound", level="critical")
    wait_for_sounds(2, page, other)
    assert sorted(sounds(page, other)) == [PLAIN, CRITICAL]
    page.keyboard.press("Escape")
    expect(page.locator(".bell > summary")).to_be_focused()
    expect(page.locator(".bell")).not_to_have_attribute("open", "")


def test_an_answer_to_ones_own_question_sounds_once_for_the_asker_and_not_for_others(
    person: Person, jury: Jury
) -> None:
    alice, board = windows(person, "alice")
    (bob,) = windows(person, "bob", 1)
    alice.locator(".ask summary").click()
    alice.locator("#ask-text").fill("Does an answer sound?")
    alice.get_by_role("button", name="Send to the jury").click()
    expect(alice.locator("#ask-progress")).to_contain_text("with the jury")
    jury.answer_question("Does an answer sound?", "Once.")
    for page in (alice, board):
        expect(page.locator("#notes")).to_contain_text("The jury has answered your question")
    wait_for_sounds(1, alice, board)
    told = jury.post_notice("Said to both askers and others", level="critical")
    expect_alert(told, bob)
    wait_for_sounds(1, bob)
    assert sounds(bob) == [CRITICAL]


def test_notices_are_said_politely_and_critical_ones_at_once(person: Person, jury: Jury) -> None:
    (page,) = windows(person, "carol", 1)
    assert page.locator("#notice-said").get_attribute("aria-live") == "polite"
    assert page.locator("#connection-said").get_attribute("aria-live") == "polite"
    assert page.locator("#notice-said-now").get_attribute("aria-live") == "assertive"
    jury.post_notice("An ordinary notice")
    expect(page.locator("#notice-said")).to_contain_text("An ordinary notice")
    jury.post_notice("A critical notice", level="critical")
    expect(page.locator("#notice-said-now")).to_contain_text("A critical notice")
    expect(page.locator("#notice-said")).not_to_contain_text("A critical notice")


def test_notices_take_the_focus_of_nobody_who_types_and_give_it_back(person: Person, jury: Jury) -> None:
    (page,) = windows(person, "carol", 1)
    title = page.title()
    page.locator(".ask summary").click()
    page.locator("#ask-text").click()
    page.keyboard.insert_text("half a ")
    plain, critical = jury.post_notice("Said quietly"), jury.post_notice("Said loudly", level="critical")
    expect_alert(plain, page)
    expect_alert(critical, page)
    expect(page).to_have_title(f"(2) {title}")
    expect(page.locator("#ask-text")).to_be_focused()
    page.keyboard.insert_text("question")
    expect(page.locator("#ask-text")).to_have_value("half a question")
    page.locator(f"#alerts [data-notice-id='{critical}'] button").focus()
    page.keyboard.press("Escape")
    expect(page.locator("#ask-text")).to_be_focused()
    expect_alert(critical, page)
    expect(page.locator(".ask")).to_have_attribute("open", "")
    for notice in (critical, plain):
        page.locator(f"#alerts [data-notice-id='{notice}'] button").focus()
        page.keyboard.press("Enter")
        expect(page.locator(f"#alerts [data-notice-id='{notice}']")).to_have_count(0)
    expect(page).to_have_title(title)
    expect(page.locator("#ask-text")).to_be_focused()
