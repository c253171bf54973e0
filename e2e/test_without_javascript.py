"""Reading and submitting work without JavaScript, and no page breaks the content security policy."""

from __future__ import annotations

import re
import time

from playwright.sync_api import Browser, Page, expect

from e2e.harness.browser import sign_in
from e2e.harness.pages import JUDGED_WITHIN_MS, Person
from e2e.harness.programs import RIGHT
from tools.site_process import SiteProcess

PAGES = [
    "/",
    "/contests/demo/",
    "/contests/demo/problems/A/",
    "/contests/demo/records/",
    "/contests/demo/standings/",
    "/accounts/profile/",
]


IS_OPEN = """() => ["live", undefined].includes(document.body.dataset.connection)"""
"""A page that is left in the middle of its handshakes gives them up, and the browser complains of that."""


def test_a_contestant_without_javascript_reads_a_problem_submits_and_sees_the_verdict(
    site: SiteProcess, browser: Browser
) -> None:
    context = browser.new_context(java_script_enabled=False, base_url=site.url)
    page = sign_in(context, site.url, "carol")
    page.goto("/contests/demo/")
    page.get_by_role("link", name="Two Tide Gauges").first.click()
    expect(page.locator("math").first).to_be_visible()
    page.locator("form[action$='/submit/'] select[name=language]").select_option("cpp")
    page.locator("form[action$='/submit/'] textarea[name=source]").fill(RIGHT)
    page.locator("form[action$='/submit/'] button[type=submit]").first.click()
    page.wait_for_url(re.compile(r"/records/\d+/$"))
    deadline_s = time.monotonic() + JUDGED_WITHIN_MS / 1000
    while page.locator("[data-record-id]").first.get_attribute("data-status") != "final":
        assert time.monotonic() < deadline_s, "it is not judged"
        page.wait_for_timeout(250)
        page.reload()
    expect(page.locator("[data-record-id]").first).to_contain_text("AC")
    context.close()


def test_no_page_breaks_the_content_security_policy_or_asks_another_host(person: Person, site: SiteProcess) -> None:
    for name, paths in [("alice", PAGES), ("grace", ["/staff/contests/demo/"]), ("admin", ["/admin/"])]:
        page = person(name)
        complaints, asked = _listen(page)
        for path in paths:
            answer = page.goto(path)
            assert answer is not None and answer.status == 200, f"{path}: {answer and answer.status}"
            page.wait_for_load_state("networkidle")
            page.wait_for_function(IS_OPEN)
        assert complaints == []
        assert asked and [url for url in asked if not url.startswith((site.url, "data:"))] == []


def _listen(page: Page) -> tuple[list[str], list[str]]:
    """(errors on the console, addresses asked for) of `page` from now on."""
    complaints: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    return complaints, asked
