"""How pages write times, sizes, scores and outcomes. The browser modules write the same forms."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any, Literal

from django import template
from django.conf.locale import LANG_INFO
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from contest.languages import CONTRACT
from contest.models.queue import Verdict
from contest.services.audit import minutes_in_words

register = template.Library()

# What a template makes of a variable that is not there; `template` elements for scripts are such rows.
Missing = Literal[""] | None

OUTCOME_WORDS: dict[str, str] = {
    **{verdict.value: str(verdict.label) for verdict in Verdict},
    "queued": "waiting for the judge",
    "compiling": "compiling",
    "running": "running",
    "final": "judged; the verdict is shown after the contest",
}
LANGUAGE_NAMES = {language.id: language.name for language in CONTRACT}
WRITTEN_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC)")
"""As `contest.services.schedule` writes it into the history."""
FORMATS = {"day": "j M Y, H:i", "second": "j M, H:i:s", "clock": "H:i:s"}


@register.simple_tag
def moment(value: datetime | str | None, style: str = "day") -> SafeString:
    """A `time` element in the viewer's zone; scripts may rewrite it in the browser's."""
    found = parse_datetime(value) if isinstance(value, str) else value
    if found is None:
        return SafeString("")
    local = timezone.localtime(found)
    shown = date_format(local, FORMATS[style])
    return format_html(
        '<time datetime="{}" data-style="{}">{}</time>', found.isoformat(timespec="milliseconds"), style, shown
    )


@register.filter
def with_moments(words: str) -> SafeString:
    """A sentence of the history, with the UTC times that were written into it in the viewer's zone."""
    parts = WRITTEN_MOMENT.split(words)  # text, moment, text, …
    shown = [
        moment(f"{part.removesuffix(' UTC').replace(' ', 'T')}+00:00", "second") if index % 2 else part
        for index, part in enumerate(parts)
    ]
    return format_html_join("", "{}", ((each,) for each in shown))


@register.simple_tag
def zone_name() -> str:
    """The zone in which this page shows times, with its offset now: "Europe/Berlin (UTC+02:00)"."""
    offset = timezone.localtime().strftime("%z")
    named = timezone.get_current_timezone_name()
    return named if named == "UTC" else f"{named} (UTC{offset[:3]}:{offset[3:]})"


@register.filter
def outcome(summary: dict[str, Any] | None) -> str:
    """The verdict's code, or the status while there is none to show; nothing for a row that scripts fill."""
    return "" if not summary else str(summary.get("verdict") or summary.get("status") or "")


@register.filter
def outcome_word(code: str) -> str:
    return OUTCOME_WORDS.get(code, code)


@register.filter
def language_name(code: str) -> str:
    """Of a programming language: "cpp" → "C++"."""
    return LANGUAGE_NAMES.get(code, code)


@register.filter
def tongue(tag: str) -> str:
    """Of a natural language, in itself: "ko" → "한국어"."""
    known = LANG_INFO.get(tag.lower()) or LANG_INFO.get(tag.lower().split("-")[0]) or {}
    return str(known.get("name_local", tag))


@register.filter
def milliseconds(value: int | Missing) -> str:
    """12 → "12 ms", 1240 → "1.24 s"."""
    if value is None or value == "":
        return ""
    return f"{value} ms" if value < 1000 else f"{value / 1000:.2f} s"


@register.filter
def kibibytes(value: int | Missing) -> str:
    """900 → "900 KiB", 3277 → "3.2 MiB"."""
    if value is None or value == "":
        return ""
    return f"{value} KiB" if value < 1024 else f"{value / 1024:.1f} MiB"


@register.filter
def points(value: float | Missing) -> str:
    """30.0 → "30", 30.5 → "30.5"; at most two digits after the point."""
    return "" if value is None or value == "" else f"{value:.2f}".rstrip("0").rstrip(".")


@register.filter
def clock(value_ms: int) -> str:
    """7384000 → "2:03:04"."""
    seconds = max(0, int(value_ms)) // 1000
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


@register.filter
def minutes(value_s: int) -> str:
    """900 → "15 minutes"."""
    return minutes_in_words(value_s)


@register.filter
def duration(value: timedelta | None) -> str:
    """Of a wait: "0:03:20"; nothing for none."""
    return "" if value is None else clock(int(value.total_seconds() * 1000))


@register.filter
def factor(value: float) -> str:
    """A language's time factor: "×3", or nothing for 1."""
    return "" if value == 1 else f"×{value:g}"
