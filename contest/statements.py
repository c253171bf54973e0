"""A problem's statement as HTML, in the language that suits the reader; kept, because mathematics takes time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import quote, unquote

from django.core.cache import cache
from django.http import HttpRequest
from django.utils.translation.trans_real import parse_accept_lang_header

from contest.markdown import render_markdown
from contest.models import Package, Problem, User
from contest.selectors.problems import choose_statement_language

KEPT_S = 3600
"""A package never changes; a new version is another key."""


@dataclass(frozen=True)
class Statement:
    html: str
    language: str
    others: tuple[str, ...]  # languages in which the statement is there too
    has_pdf: bool


def wanted_languages(request: HttpRequest) -> list[str]:
    """Language tags by preference: what the address says, then the person's choice, then the browser's."""
    chosen = [request.GET.get("lang", "")[:35]]
    if isinstance(request.user, User):
        chosen.append(request.user.language)
    asked = parse_accept_lang_header(request.headers.get("Accept-Language", ""))
    return [tag for tag in [*chosen, *(tag for tag, _ in asked)] if tag and tag != "*"]


def statement_for(problem: Problem, wanted: Sequence[str], *, image_base: str) -> Statement:
    """`image_base` is the address below which the images of the package are served."""
    package = problem.package
    if package is None:
        return Statement("", "", (), False)
    language = choose_statement_language(list(package.statements), wanted)
    if language is None:
        return Statement("", "", (), package.statement_pdf_id is not None)
    others = tuple(tag for tag in package.statements if tag != language)
    html = _rendered(package, language, image_base)
    return Statement(html, language, others, package.statement_pdf_id is not None)


def _rendered(package: Package, language: str, image_base: str) -> str:
    key = f"statement-{package.pk}-{language}-{quote(image_base, safe='')}"
    found: str | None = cache.get(key)
    if found is None:
        found = render_markdown(package.statements[language], image_url=_image_url(package, image_base))
        cache.set(key, found, KEPT_S)
    return found


def _image_url(package: Package, image_base: str) -> Callable[[str], str | None]:
    def resolve(address: str) -> str | None:
        name = unquote(address).removeprefix("./")
        return f"{image_base}{quote(name)}" if name in package.images else None

    return resolve
