"""Pages that are left, brought back, doubled, or were never really left; and pages without a secure context."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from e2e.conftest import SCREEN, NewSite
from e2e.faults.conftest import Enter
from e2e.harness.assertions import assert_live_soon, assert_live_within, assert_no_doubles, assert_no_loss
from e2e.harness.bell import install_bell_spy, let_sound, wait_for_sounds
from e2e.harness.browser import another_chromium, chromium_program
from e2e.harness.fault_proxy import FaultProxy
from e2e.harness.frames import FrameTap
from e2e.harness.jury import Jury, read_everything
from e2e.harness.pages import OVERVIEW, PROBLEM
from e2e.harness.sessions import enter_as
from e2e.harness.watch import Watch, install_watch
from e2e.harness.windows import HAPPENS_WITHIN_S, SHORT
from tools.site_process import SiteProcess

LEAVE_UNTIL_A_NOTICE_COMES = """() => {
    const arrival = new MutationObserver(() => {
        window.hasArrived = true;
        window.stop();
    });
    arrival.observe(document.querySelector("#notice-list"), { childList: true });
    setTimeout(() => { location.href = "/accounts/profile/"; }, 0);
    setTimeout(() => window.stop(), 30_000);
}"""
"""Nothing can be asked of a page from outside while it is being left."""
HALL = "contest.test"
"""The name of a machine in a class room, of which no certificate exists."""


def test_the_back_button_brings_back_a_page_that_shows_what_it_missed(
    site: SiteProcess, proxy: FaultProxy, browser: Browser, jury: Jury
) -> None:
    keeping_pages = another_chromium(browser, program=chromium_program(), without=("--disable-back-forward-cache",))
    with keeping_pages as keeping:
        context = keeping.new_context(viewport=SCREEN, base_url=proxy.url)
        install_watch(context)
        install_bell_spy(context)
        read_everything(site.url, "alice")
        page = enter_as(context, "alice")
        page.goto(OVERVIEW)
        assert_live_soon(page)
        let_sound(page)
        jury.post_notice("Said before the page was left")
        wait_for_sounds(1, page)
        page.evaluate("window.sameDocument = true")
        page.goto("/accounts/profile/")
        Watch(page).wait_until(
            lambda: not proxy.sockets, HAPPENS_WITHIN_S, "the page that was left gives its connections up"
        )
        jury.post_notice("Said while the page was in the cache")
        page.evaluate("setTimeout(() => history.back(), 0)")
        page.wait_for_url(f"**{OVERVIEW}", wait_until="commit", timeout=5_000)
        watch = Watch(page)
        watch.wait_until(
            lambda: "pageshow persisted" in watch.events(), HAPPENS_WITHIN_S, "the page comes out of the cache"
        )
        assert page.evaluate("window.sameDocument") is True, "this is another document"
        assert_live_within(page, 2)
        wait_for_sounds(2, page)
        assert_no_loss(page, jury)
        assert_no_doubles(page)


def test_a_download_does_not_disturb_the_page_it_was_started_from(enter: Enter, proxy: FaultProxy) -> None:
    page = enter("alice", PROBLEM)
    assert_live_soon(page)
    watch, since_ms, sockets = Watch(page), Watch(page).now_ms(), proxy.sockets
    page.evaluate("addEventListener('beforeunload', () => { window.unloading = true; })")
    with page.expect_download() as download:
        page.evaluate("location.href = document.querySelector('a[download]').href")
    assert download.value.path().stat().st_size > 0
    assert page.evaluate("window.unloading") is True, "the browser did not think of leaving"
    assert watch.first_after("page", since_ms, lambda state: state != "live") is None, watch.story()
    assert proxy.sockets == sockets and len(sockets) == 4


def test_a_navigation_that_is_cancelled_leaves_a_live_page(enter: Enter, proxy: FaultProxy, jury: Jury) -> None:
    page = enter("alice", OVERVIEW)
    assert_live_soon(page)
    watch, since_ms = Watch(page), Watch(page).now_ms()
    proxy.faults.stall = "/accounts/profile/"
    page.evaluate(LEAVE_UNTIL_A_NOTICE_COMES)
    watch.wait_until(lambda: proxy.counts.stalled > 0, HAPPENS_WITHIN_S, "the next page is asked for")
    jury.post_notice("Said while the page was being left")
    assert page.evaluate("window.hasArrived"), "it did not arrive before somebody pressed Stop"
    assert_no_loss(page, jury)
    assert watch.first_after("page", since_ms, lambda state: state != "live") is None, watch.story()
    assert page.url.endswith(OVERVIEW)


def test_a_page_that_was_told_goodbye_but_stayed_comes_back_to_life_when_somebody_uses_it(
    enter: Enter, proxy: FaultProxy, jury: Jury
) -> None:
    page = enter("bob", OVERVIEW)
    assert_live_soon(page)
    page.evaluate("window.dispatchEvent(new PageTransitionEvent('pagehide'))")
    watch = Watch(page)
    watch.wait_until(lambda: proxy.sockets == [], HAPPENS_WITHIN_S, "the page closes its connections")
    jury.post_notice("Said to a page that was given up")
    expect(page.locator(".badge-text")).not_to_contain_text("live")
    page.mouse.click(5, 5)
    assert_live_within(page, 2)
    assert_no_loss(page, jury)
    assert_no_doubles(page)


def test_a_duplicated_tab_is_a_client_of_its_own_and_takes_nothing_from_the_first(
    enter: Enter, proxy: FaultProxy, jury: Jury
) -> None:
    """A browser duplicates a tab from its history: the same HTML out of its cache, and a copy of the storage."""
    page = enter("alice")
    first = FrameTap(page)
    page.goto(OVERVIEW)
    assert_live_soon(page)
    page.evaluate("sessionStorage.setItem('copied', 'yes')")
    seconds: list[FrameTap] = []
    page.context.on("page", lambda opened: seconds.append(FrameTap(opened)))
    with page.expect_popup() as popup:
        page.evaluate("void window.open(location.href)")
    double = popup.value
    assert_live_soon(double)
    double.goto("/accounts/profile/")
    page.reload()  # its HTML is what the cache holds now
    double.go_back()
    for each in (page, double):
        assert_live_soon(each)
    html = [each.locator("#fathom-page").text_content() for each in (page, double)]
    assert html[0] == html[1], "the server was asked for another page"
    assert double.evaluate("sessionStorage.getItem('copied')") == "yes", "nothing was duplicated"
    hellos = [frame for tap in (first, *seconds) for frame in tap.sent if frame["type"] == "hello"]
    assert len({frame["client"] for frame in hellos}) == 4, "each document has one of its own"
    Watch(page).wait_until(lambda: len(proxy.sockets) == 4, HAPPENS_WITHIN_S, "two for each, and none of those before")
    jury.post_notice("Said to both")
    for each in (page, double):
        assert_no_loss(each, jury)
        assert_no_doubles(each)
        assert set(each.evaluate("window.fathom.connections().map((stream) => stream.sockets)")) == {1}


@pytest.fixture(scope="module")
def hall_site(new_site: NewSite) -> SiteProcess:
    hosts = f"{HALL},127.0.0.1"
    process = new_site(FATHOM_JUDGE_SLOTS="0", FATHOM_ALLOWED_HOSTS=hosts, FATHOM_HTTPS="0", **SHORT.environment)
    process.start()
    return process


@pytest.fixture
def in_the_hall(hall_site: SiteProcess, browser: Browser) -> Iterator[Page]:
    with another_chromium(browser, f"--host-resolver-rules=MAP {HALL} 127.0.0.1") as resolving:
        context = resolving.new_context(viewport=SCREEN, base_url=f"http://{HALL}:{hall_site.port}")
        install_watch(context)
        yield enter_as(context, "alice", HALL)


def test_on_an_address_without_a_secure_context_everything_live_works(
    in_the_hall: Page, hall_site: SiteProcess
) -> None:
    page = in_the_hall
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    for path in (PROBLEM, OVERVIEW):
        page.goto(path)
        assert page.evaluate("window.isSecureContext") is False, "this is a secure context"
        assert_live_soon(page)
    page.locator(".bell > summary").click()
    expect(page.locator(".bell-permission")).to_contain_text("https://")
    expect(page.get_by_role("button", name="Allow notifications")).to_be_hidden()
    jury = Jury(hall_site.url)
    notice = jury.post_notice("Said in the hall", requires_ack=True)
    alert = page.locator(f"#alerts [data-notice-id='{notice}']")
    alert.get_by_role("button", name="Confirm").click()
    expect(alert).to_have_count(0)
    assert jury.ledger(notice)["counts"]["confirmed"] == 1
    assert_no_loss(page, jury)
    assert_no_doubles(page)
    assert complaints == []
