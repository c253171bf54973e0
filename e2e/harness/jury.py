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


def announcements(visitor: Visitor) -> dict[str, Any]:
    """The snapshot in a page made right now, as this visitor may see it."""
    page = visitor.get("/contests/demo/")
    found = re.search(r'<script id="fathom-page" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    snapshot: dict[str, Any] = json.loads(found[1])["streams"]["announcements"]["data"]
    return snapshot


def read_everything(base_url: str, username: str) -> None:
    """A contestant confirms all notices that are there, so that a test begins without any."""
    visitor = Visitor(base_url, username)
    for notice in [each for each in announcements(visitor)["notices"] if not each["confirmed"]]:
        fields = {"notice": str(notice["id"]), "version": str(notice["version"]), "next": "/contests/demo/"}
        visitor.submit("/contests/demo/notices/confirm/", fields)


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

    def edit_notice(self, notice: int, title: str) -> None:
        """As a new version."""
        fields = {"title": title, "body": f"About {title}.", "level": "info"}
        self._grace.submit(f"/staff/contests/demo/notices/{notice}/edit/", fields)

    def answer_question(self, text: str, answer: str) -> None:
        """To whoever asked it, alone."""
        asked = [each["id"] for each in announcements(self._grace)["clarifications"] if each["text"] == text]
        assert len(asked) == 1, f"{len(asked)} questions: {text}"
        self._grace.submit(f"/staff/contests/demo/clarifications/{asked[0]}/answer/", {"answer": answer})

    def notices_in_force(self) -> dict[int, int]:
        """Id → version, as a page made right now from the database shows them to everybody."""
        return {notice["id"]: notice["version"] for notice in announcements(self._grace)["notices"]}

    def ledger(self, notice: int) -> dict[str, Any]:
        ledger: dict[str, Any] = self._grace.read(f"/staff/contests/demo/notices/{notice}/?format=json")
        return ledger
