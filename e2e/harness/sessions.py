"""Who is signed in without a form: the people of the demo, by sessions that are good at every site of the run.

A sign-in by the form takes a second of two processors (a page, and a hash that is slow on purpose); of
some hundred it is said once, in test_without_javascript.py, that they work.
"""

from __future__ import annotations

import secrets

from playwright.sync_api import BrowserContext, Page

_sessions: dict[str, str] = {}


def know(sessions: dict[str, str]) -> None:
    """User name → session; from now on `cookies_of` answers for them."""
    _sessions.update(sessions)


def cookies_of(username: str) -> dict[str, str]:
    """What the browser of somebody who has signed in keeps: the session, and a token for forms."""
    return {"sessionid": _sessions[username], "csrftoken": secrets.token_hex(16)}


def enter_as(context: BrowserContext, username: str, host: str = "127.0.0.1") -> Page:
    """An empty page of `context`, which has signed in as one of the demo's people."""
    hand_over(username, context, host)
    return context.new_page()


def hand_over(username: str, context: BrowserContext, host: str = "127.0.0.1") -> None:
    """The whole `context` has signed in at `host`; cookies do not look at its port."""
    cookies = cookies_of(username).items()
    context.add_cookies([{"name": name, "value": value, "domain": host, "path": "/"} for name, value in cookies])
