"""Grace at work by plain requests, past the browser and past every fault between it and the site."""

from __future__ import annotations

import json
import re
import urllib.parse
import urllib.request
from typing import Any

from e2e.harness.sessions import cookies_of

REQUEST_TIMEOUT_S = 10.0


class Visitor:
    """Somebody signed in; makes requests and fills in forms at the site itself, without a browser."""

    def __init__(self, base_url: str, username: str) -> None:
        self.base_url = base_url
        self.cookies = cookies_of(username)
        self._opener = urllib.request.build_opener()
        self._opener.addheaders = [("Cookie", "; ".join(f"{name}={value}" for name, value in self.cookies.items()))]

    def get(self, path: str) -> str:
        with self._opener.open(self.base_url + path, timeout=REQUEST_TIMEOUT_S) as answer:
            text: str = answer.read().decode()
        return text

    def read(self, path: str) -> Any:
        """A page that is JSON."""
        return json.loads(self.get(path))

    def submit(self, path: str, fields: dict[str, str]) -> str:
        """Send a form; the address of the page it led to."""
        body = urllib.parse.urlencode({**fields, "csrfmiddlewaretoken": self.cookies["csrftoken"]}).encode()
        request = urllib.request.Request(self.base_url + path, body, {"Referer": self.base_url + path})
        with self._opener.open(request, timeout=REQUEST_TIMEOUT_S) as answer:
            address: str = answer.geturl()
        return address


class Jury:
    def __init__(self, base_url: str) -> None:
        self._grace = Visitor(base_url, "grace")

    def post_notice(self, title: str, *, requires_ack: bool = False, level: str = "info") -> int:
        """Its id."""
        fields = {"title": title, "body": f"About {title}.", "level": level}
        address = self._grace.submit(
            "/staff/contests/demo/notices/", {**fields, "requires_ack": "on"} if requires_ack else fields
        )
        found = re.search(r"/notices/(\d+)/$", address)
        assert found is not None, f"the notice was not posted: {address}"
        return int(found[1])

    def notices_in_force(self) -> dict[int, int]:
        """Id → version, as a page made right now from the database shows them to everybody."""
        page = self._grace.get("/contests/demo/")
        found = re.search(r'<script id="fathom-page" type="application/json">(.*?)</script>', page, re.DOTALL)
        assert found is not None
        notices = json.loads(found[1])["streams"]["announcements"]["data"]["notices"]
        return {notice["id"]: notice["version"] for notice in notices}

    def ledger(self, notice: int) -> dict[str, Any]:
        ledger: dict[str, Any] = self._grace.read(f"/staff/contests/demo/notices/{notice}/?format=json")
        return ledger
