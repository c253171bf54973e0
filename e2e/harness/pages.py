"""What people do on the pages: open one and wait until it is live, submit, post a notice."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, WebSocketRoute, expect

Person = Callable[[str], Page]
"""User name of the demo → a page signed in as them (the fixture `person`)."""

JUDGED_WITHIN_MS = 30_000
"""From a click until the judge has said its last word, behind what others have submitted."""
OVERVIEW = "/contests/demo/"
PROBLEM = "/contests/demo/problems/A/"


def open_live(page: Page, path: str) -> Page:
    page.goto(path)
    expect(page.locator("body")).to_have_attribute("data-connection", "live")
    return page


def submit(page: Page, source: str, language: str = "cpp") -> int:
    """Submit by the form of problem A, through the upload field, and return the record's id."""
    page.goto("/contests/demo/problems/A/")
    page.locator("form[action$='/submit/'] select[name=language]").select_option(language)
    page.locator("form[action$='/submit/'] input[name=source_file]").set_input_files(
        {"name": "main.cpp", "mimeType": "text/plain", "buffer": source.encode()}
    )
    page.locator("form[action$='/submit/'] button[type=submit]").first.click()
    page.wait_for_url(re.compile(r"/records/\d+/$"))
    return int(page.url.rstrip("/").rsplit("/", 1)[1])


def post_notice(
    page: Page, title: str, *, requires_ack: bool, body: str = "Read **this**.", level: str = "warning"
) -> int:
    """Post by the staff console's form and return the notice's id."""
    page.goto("/staff/contests/demo/")
    form = page.locator("form[action$='/notices/']")
    form.locator("[name=title]").fill(title)
    form.locator("[name=body]").fill(body)
    form.locator("[name=level]").select_option(level)
    form.locator("[name=requires_ack]").set_checked(requires_ack)
    form.locator("button[type=submit]").click()
    page.wait_for_url("**/notices/*/")
    return int(page.url.rstrip("/").rsplit("/", 1)[1])


def refuse_connections(page: Page) -> list[str]:
    """Whatever the page opens from now on is refused, WebSockets and the fallback alike; the addresses that it tried,
    one more with each WebSocket."""
    refused: list[str] = []

    def refuse(socket: WebSocketRoute) -> None:
        refused.append(socket.url)
        socket.close(code=1011)

    page.route_web_socket("**/ws/**", refuse)
    page.route("**/rt/**", lambda route: route.abort())
    return refused
