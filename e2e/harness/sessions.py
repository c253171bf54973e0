"""Who is signed in without a form: the people of the demo, by sessions that are good at every site of the run.

A sign-in by the form takes a second of two processors (a page, and a hash that is slow on purpose); of
some hundred it is said once, in test_without_javascript.py, that they work.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from itertools import cycle

from playwright.sync_api import BrowserContext, Page

_sessions: dict[str, Iterator[str]] = {}


def know(sessions: dict[str, list[str]]) -> None:
    """User name → sessions; from now on `cookies_of` hands them out, one after the other."""
    _sessions.update({username: cycle(values) for username, values in sessions.items()})


def cookies_of(username: str) -> dict[str, str]:
    """What a browser keeps of a sign-in of its own: the session, and a token for forms."""
    return {"sessionid": next(_sessions[username]), "csrftoken": secrets.token_hex(16)}


def enter_as(context: BrowserContext, username: str, host: str = "127.0.0.1") -> Page:
    """An empty page of `context`, which has signed in as one of the demo's people."""
    sign_in_as(context, username, host)
    return context.new_page()


def sign_in_as(context: BrowserContext, username: str, host: str = "127.0.0.1") -> None:
    """The whole `context` has signed in at `host`."""
    give_cookies(context, cookies_of(username), host)


def give_cookies(context: BrowserContext, cookies: dict[str, str], host: str = "127.0.0.1") -> None:
    """They do not look at the port of `host`."""
    for name, value in cookies.items():
        context.add_cookies([{"name": name, "value": value, "domain": host, "path": "/"}])
