"""The jury's page of a notice: chosen contestants, who is there, who has it, and posting it again, all live."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from e2e.harness.frames import FrameTap
from e2e.harness.jury import read_everything
from e2e.harness.pages import Person, open_live, post_notice
from tools.site_process import SiteProcess

MANY = """
from contest.models import Contest, User
from contest.services.notices import post_notice
contest, grace = Contest.objects.get(slug="demo"), User.objects.get(username="grace")
more = {"body": "Many.\\n\\n" * 8, "level": "critical", "audience_users": [User.objects.get(username="alice")]}
made = [post_notice(contest, grace, title=f"Number {number}", **more) for number in range(6)]
print(made[0].pk, made[-2].pk, made[-1].pk)
"""
TAKE_BACK = """
from contest.models import Notice, User
from contest.services.notices import withdraw_notice
for notice in Notice.objects.filter(withdrawn_at=None, versions__title__startswith="Number "):
    withdraw_notice(notice, User.objects.get(username="grace"))
"""


@pytest.mark.both_shapes
def test_the_page_follows_who_is_connected_and_who_has_confirmed(person: Person, site: SiteProcess) -> None:
    grace, alice = person("grace"), person("alice")
    read_everything(site.url, "alice")
    notice = post_notice(grace, "Who is here?", requires_ack=True)
    row = grace.locator("tr[data-user=alice]")
    expect(grace.locator("body")).to_have_attribute("data-connection", "live")
    expect(row.locator(".presence-word")).not_to_have_text("connected")
    open_live(alice, "/contests/demo/")
    expect(row.locator(".presence-word")).to_have_text("connected")
    expect(row).to_have_attribute("data-stage", "delivered")
    alice.locator(f"#alerts [data-notice-id='{notice}']").get_by_role("button", name="Confirm").click()
    expect(row).to_have_attribute("data-stage", "confirmed")
    expect(grace.locator("[data-count=confirmed] dd")).to_have_text("1")
    alice.goto("about:blank")
    expect(row.locator(".presence-word")).to_have_text("away")
    grace.get_by_role("link", name="Not seen", exact=True).click()
    expect(grace.locator("tr[data-user=bob]")).to_be_visible()
    expect(row).to_have_count(0)


def test_a_notice_for_chosen_contestants_is_posted_again_to_one_who_has_not_seen_it(person: Person) -> None:
    grace, alice, bob = person("grace"), person("alice"), person("bob")
    open_live(bob, "/contests/demo/")
    open_live(grace, "/staff/contests/demo/")
    form = grace.locator("#notice-form")
    form.locator("[name=title]").fill("Your seat is changed")
    form.locator("[name=body]").fill("Go to row 7.")
    form.get_by_label("chosen contestants").check()
    form.get_by_label("Find a contestant").fill("ali")
    expect(form.locator("option[value=bob]")).to_be_hidden()
    form.locator("#id_recipients").select_option("alice")
    expect(form.locator("#audience-count")).to_have_text("1 chosen")
    form.locator("button[type=submit]").click()
    grace.wait_for_url("**/notices/*/")
    expect(grace.locator("#ledger-rows tr")).to_have_count(1)
    expect(grace.locator("tr[data-user=alice]")).to_have_attribute("data-stage", "waiting")

    # Her page holds the notice, and yet it has been on no screen: a page that nobody looks at.
    alice.add_init_script("Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' })")
    tap = FrameTap(alice)
    open_live(alice, "/contests/demo/")
    expect(alice.locator("#alerts")).to_contain_text("Your seat is changed")
    said = alice.locator("#notice-said")
    expect(said).to_contain_text("Your seat is changed")
    alice.evaluate("document.querySelector('#notice-said').textContent = ''")
    grace.get_by_role("button", name="Post again").click()
    expect(grace.locator("#repostings")).to_contain_text("Posted again once")
    expect(said).to_contain_text("Your seat is changed")
    assert [event["topic"] for event in tap.events("announcement.posted")] == ["me"]
    expect(alice.locator("#alerts .alert", has_text="Your seat is changed")).to_have_count(1)
    assert "Your seat is changed" not in bob.content()


def test_a_notice_is_seen_when_it_is_unfolded_and_scrolled_to_and_not_before(person: Person, site: SiteProcess) -> None:
    grace, alice = person("grace"), person("alice")
    lowest, second, top = site.manage("shell", "-v", "0", "-c", MANY).split()[-3:]
    alice.set_viewport_size({"width": 1280, "height": 720})
    open_live(alice, "/contests/demo/")
    stack, title = alice.locator("#over-page"), alice.locator(f"#alerts [data-notice-id='{lowest}'] .alert-title")
    expect(title).to_be_hidden()
    row = grace.locator("tr[data-user=alice]")
    grace.goto(f"/staff/contests/demo/notices/{top}/")
    expect(row).to_have_attribute("data-stage", "delivered")
    grace.goto(f"/staff/contests/demo/notices/{lowest}/")
    expect(grace.locator("body")).to_have_attribute("data-connection", "live")
    expect(row).to_have_attribute("data-stage", "sent")
    alice.locator(".stack-more").click()
    expect(alice.locator(f"#alerts [data-notice-id='{second}'] .alert-title")).to_be_in_viewport()
    assert stack.evaluate("box => box.scrollHeight > box.clientHeight"), "the premise: it is too much for the screen"
    expect(title).not_to_be_in_viewport()
    grace.goto(f"/staff/contests/demo/notices/{second}/")
    expect(row).to_have_attribute("data-stage", "delivered")
    grace.goto(f"/staff/contests/demo/notices/{lowest}/")
    expect(grace.locator("body")).to_have_attribute("data-connection", "live")
    expect(row).to_have_attribute("data-stage", "sent")
    title.scroll_into_view_if_needed()
    expect(row).to_have_attribute("data-stage", "delivered")
    site.manage("shell", "-c", TAKE_BACK)
