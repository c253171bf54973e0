"""Log lines: for people, or one JSON object each. What one is about (`extra={"fathom": {…}}`) stands beside its words.

Nothing secret is ever given to a log on purpose. What may come in by an exception's words (a row that
the database refused, a header) is cut out here, at the one door through which all lines go.
"""

from __future__ import annotations

import json
import logging
import re
from datetime import UTC, datetime
from typing import Any

_DETAIL = re.compile(r"^(DETAIL|CONTEXT|PARAMETERS):.*$", re.MULTILINE)
"""PostgreSQL repeats the refused row here: program texts, answers, hashes."""
_SECRET = re.compile(
    r"(?i)\b(sessionid|csrftoken|csrfmiddlewaretoken|token|authorization|cookie|password)"
    r"(\"?\s*[=:]\s*\"?)((?:Bearer\s+)?[^\s\",;&]+)"
)


def without_secrets(text: str) -> str:
    return _SECRET.sub(r"\1\2…", _DETAIL.sub(r"\1: …", text))


class Calm(logging.Filter):
    """An address with a zero byte, a foreign host name and the like are no faults of the site, and nobody shall be
    able to fill its log with tracebacks."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name.startswith("django.security"):
            record.exc_info = record.exc_text = None
            record.levelno, record.levelname = logging.WARNING, "WARNING"
        return True


def _facts(record: logging.LogRecord) -> dict[str, Any]:
    facts: dict[str, Any] = getattr(record, "fathom", {})
    return facts


class TextLines(logging.Formatter):
    """`time level logger words name=value …`, a traceback in the lines after it."""

    def __init__(self, node: str) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:
        facts = "".join(f" {name}={value}" for name, value in _facts(record).items())
        return super().formatMessage(record) + facts

    def format(self, record: logging.LogRecord) -> str:
        return without_secrets(super().format(record))


class JsonLines(logging.Formatter):
    """One object a line: `time`, `level`, `logger`, `node`, `message`, the facts, and `error` with a traceback."""

    def __init__(self, node: str) -> None:
        super().__init__()
        self._node = node

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "node": self._node,
            "message": without_secrets(record.getMessage()),
            **_facts(record),
        }
        if record.exc_info:
            line["error"] = without_secrets(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=False, default=str)
