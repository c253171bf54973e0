"""Grace of the jury, over HTTP: signs in, posts notices, reads the ledger."""

from __future__ import annotations

import http.client
import json
import re
import socket
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlencode

from bench.stage.site import SLUG

NAME, PASSWORD = "grace", "demo-grace"
PATIENCE_S = 30.0


class Jury:
    def __init__(self, port: int) -> None:
        self._host = f"127.0.0.1:{port}"
        self._address = ("127.0.0.1", port)
        self._cookies: dict[str, str] = {}
        self._ask("GET", "/accounts/login/")
        self._ask("POST", "/accounts/login/", {"username": NAME, "password": PASSWORD})
        if "sessionid" not in self._cookies:
            raise RuntimeError(f"{NAME} could not sign in")

    def send_notice(self, title: str, body: str, *, requires_ack: bool = False) -> socket.socket:
        """Send the form and do not wait: deliveries overtake its answer. Hand the socket to `notice_of`."""
        fields = {"title": title, "body": body, "level": "info"} | ({"requires_ack": "on"} if requires_ack else {})
        form = self._form(fields).encode()
        head = [
            f"POST /staff/contests/{SLUG}/notices/ HTTP/1.1",
            *(f"{name}: {value}" for name, value in self._headers(len(form)).items()),
        ]
        sock = socket.create_connection(self._address, PATIENCE_S)
        sock.sendall("\r\n".join(head).encode() + b"\r\n\r\n" + form)
        return sock

    def notice_of(self, sock: socket.socket) -> int:
        """The id of the notice that was posted with this form. Raises RuntimeError if it was not."""
        with sock:
            answer = http.client.HTTPResponse(sock)
            answer.begin()
            place = re.search(r"/notices/(\d+)/", answer.headers.get("Location") or "")
            if answer.status != 303 or place is None:
                raise RuntimeError(f"the notice was not posted: HTTP {answer.status}")
            return int(place[1])

    def ledger(self, notice_id: int) -> Any:
        """Who has confirmed, as JSON of the contract."""
        return json.loads(self._ask("GET", f"/staff/contests/{SLUG}/notices/{notice_id}/?format=json"))

    # --- HTTP ---------------------------------------------------------------------------------------

    def _ask(self, method: str, path: str, fields: dict[str, str] | None = None) -> bytes:
        connection = http.client.HTTPConnection(self._host, timeout=PATIENCE_S)
        form = None if fields is None else self._form(fields)
        connection.request(method, path, form, self._headers(len(form or "")))
        answer = connection.getresponse()
        body = answer.read()
        for value in answer.headers.get_all("Set-Cookie", []):
            self._cookies |= {name: morsel.value for name, morsel in SimpleCookie(value).items()}
        connection.close()
        if answer.status >= 400:
            raise RuntimeError(f"{method} {path}: HTTP {answer.status}")
        return body

    def _form(self, fields: dict[str, str]) -> str:
        return urlencode(fields | {"csrfmiddlewaretoken": self._cookies.get("csrftoken", "")})

    def _headers(self, length: int) -> dict[str, str]:
        return {
            "Host": self._host,
            "Origin": f"http://{self._host}",
            "Cookie": "; ".join(f"{name}={value}" for name, value in self._cookies.items()),
            "Content-Type": "application/x-www-form-urlencoded",
            "Content-Length": str(length),
            "Connection": "close",
        }
