"""Forms over HTTP, sent again with the same key until the site has taken them, as a person would."""

from __future__ import annotations

import asyncio
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from dataclasses import dataclass

from realtime.tests.wire.sockets import Door
from realtime.tests.wire.stage import SLUG

PAUSE_S = 0.5
TIMEOUT_S = 20.0


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None


@dataclass
class Sent:
    """How a form fared: seconds until each answer, and how often it was answered with an error."""

    took_s: float
    errors: int
    location: str


class Browser:
    """One person's browser."""

    def __init__(self, door: Door, who: str) -> None:
        self._url = f"http://127.0.0.1:{door.port}"
        self._session = f"sessionid={door.sessions[who]}"
        self._opener = urllib.request.build_opener(_NoRedirects)
        self._token = ""

    def open(self, path: str) -> None:
        """Load a page with a form, for its protection against forged ones."""
        request = urllib.request.Request(f"{self._url}{path}", headers={"Cookie": self._session})
        with self._opener.open(request, timeout=TIMEOUT_S) as answer:
            cookie = re.search(r"csrftoken=([^;]+)", answer.headers["Set-Cookie"])
        assert cookie is not None
        self._token = cookie[1]

    async def send(self, path: str, **fields: str) -> Sent:
        """Send a form until it is taken."""
        form = {**fields, "form_key": uuid.uuid4().hex, "csrfmiddlewaretoken": self._token}
        errors = 0
        while True:
            began = time.monotonic()
            status, location = await asyncio.to_thread(self._post, path, form)
            if status in (302, 303):
                return Sent(time.monotonic() - began, errors, location)
            assert status >= 500, f"answered {status}"
            errors += 1
            await asyncio.sleep(PAUSE_S)

    def _post(self, path: str, form: dict[str, str]) -> tuple[int, str]:
        headers = {"Cookie": f"{self._session}; csrftoken={self._token}"}
        request = urllib.request.Request(f"{self._url}{path}", urllib.parse.urlencode(form).encode(), headers)
        try:
            with self._opener.open(request, timeout=TIMEOUT_S) as answer:
                return answer.status, ""
        except urllib.error.HTTPError as error:
            return error.code, error.headers.get("Location") or ""


NOTICES = f"/staff/contests/{SLUG}/notices/"
SUBMIT = f"/contests/{SLUG}/problems/A/submit/"
CONSOLE = f"/staff/contests/{SLUG}/"
PROBLEM = f"/contests/{SLUG}/problems/A/"
