"""What the self-test panel says of a run while the browser is offline."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from e2e.conftest import NewSite
from e2e.harness.pages import JUDGED_WITHIN_MS, PROBLEM, Person, open_live
from e2e.harness.windows import SHORT, SLACK_S
from tools.site_process import SiteProcess

SLEEPER = "import time\ntime.sleep(60)\n"
DOUBTED = "running (as last heard; the connection is in doubt)"
AT_ONCE_MS = 1_000
KEEP_SAID = """() => {
    const state = document.querySelector("#selftest-state");
    window.said = [];
    const keep = () => window.said.push({ text: state.textContent, atMs: performance.now() });
    new MutationObserver(keep).observe(state, { childList: true });
    addEventListener("offline", () => { window.offlineMs = performance.now(); }, true);
}"""


@pytest.fixture
def site(new_site: NewSite) -> SiteProcess:
    process = new_site(**SHORT.environment)
    process.start()
    return process


def test_a_run_is_doubted_at_once_and_not_called_running_once_the_path_is_known_to_be_dead(person: Person) -> None:
    page = open_live(person("alice"), PROBLEM)
    page.locator("#id_language").select_option("python")
    page.locator(".cm-content").click()
    page.keyboard.insert_text(SLEEPER)
    page.locator("#selftest-run").click()
    state, time = page.locator("#selftest-state"), page.locator("#selftest-time")
    expect(state).to_have_text("running", timeout=JUDGED_WITHIN_MS)
    expect(time).to_contain_text("so far")

    page.evaluate(KEEP_SAID)
    page.context.set_offline(True)
    assert page.evaluate("navigator.onLine") is False, "the browser is not offline"
    expect(state).to_have_text(re.compile("^not live"), timeout=(SHORT.known_within_s + SLACK_S) * 1_000)
    _doubted_at_once(page)
    expect(page.locator("body")).to_have_attribute("data-connection", re.compile("^(reconnecting|offline)$"))
    expect(time).to_have_text("–")

    page.locator("#selftest-stop").click()
    expect(state).to_have_text("stopping is not sent yet: waiting for the connection")
    page.context.set_offline(False)
    expect(state).to_have_text("stopped")


def _doubted_at_once(page: Page) -> None:
    """The doubt lasts for 0.6 s, less than it may take to look from outside: the page has kept what it said."""
    said = [each for each in page.evaluate("window.said") if each["text"] != "running"]
    assert said[0]["text"] == DOUBTED, said
    assert said[0]["atMs"] - page.evaluate("window.offlineMs") < AT_ONCE_MS, said
