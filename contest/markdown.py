"""Markdown with TeX mathematics → HTML that is safe to put into a page.

Two walls. The first never makes anything dangerous: raw HTML is shown as text, links with scripts
are not links, images come from `image_url` or become their description. The second (`nh3`) lets only
listed elements and attributes through, so a fault of the first, or of a plug-in, stays harmless.
Neither lets a `style` attribute pass: the site's Content-Security-Policy forbids them.

Mathematics becomes MathML here, on the server: no script, no font and no other host is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from html import escape
from typing import Any

import nh3
from latex2mathml.converter import convert
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

ImageUrl = Callable[[str], str | None]
"""File name in the text → address on this site; None: there is no such image."""

FORMULA_LIMIT_CHARS = 4000
"""A longer formula is shown as its source: the converter recurses, and nobody reads such a formula."""


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


MATHML_TAGS = _names(
    "math mfrac mi mn mo mover mpadded mphantom mroot mrow ms mspace msqrt mstyle msub msubsup msup "
    "mtable mtd mtext mtr munder munderover menclose merror mmultiscripts mprescripts none semantics"
)
HTML_TAGS = _names(
    "a blockquote br code div em h1 h2 h3 h4 h5 h6 hr img li ol p pre s span strong table tbody td th thead tr ul"
)
MATHML_ATTRIBUTES = _names(
    "accent accentunder align columnalign columnlines columnspacing depth display displaystyle fence form height "
    "largeop linethickness lspace mathvariant maxsize minsize movablelimits notation rowalign rowlines rowspacing "
    "rspace scriptlevel separator stretchy symmetric voffset width"
)
ATTRIBUTES: dict[str, set[str]] = {
    **{tag: set(MATHML_ATTRIBUTES) for tag in MATHML_TAGS},
    "a": {"href", "title"},
    "img": {"src", "alt", "title"},
    "ol": {"start"},
    "code": {"class"},
    "span": {"class"},
    "div": {"class"},
    "td": {"class"},
    "th": {"class"},
}
ATTRIBUTE_VALUES = {
    "div": {"class": {"math-block"}},
    "span": {"class": {"missing-image", "held"}},
    "code": {"class": {"math-source"}},
    "td": {"class": {"align-left", "align-right", "align-center"}},
    "th": {"class": {"align-left", "align-right", "align-center"}},
}


def render_markdown(text: str, *, image_url: ImageUrl | None = None, first_heading: int = 2) -> str:
    """`text` as HTML. `first_heading` is the level that `#` gets, so that the page keeps one `h1`."""
    environment = {"image_url": image_url, "heading_shift": first_heading - 1}
    return sanitise(_hold(_parser().render(text.replace("\x00", "\ufffd"), environment)))


def sanitise(html: str) -> str:
    """The second wall, alone."""
    return nh3.clean(
        html,
        tags=set(HTML_TAGS | MATHML_TAGS),
        attributes={tag: names - set(ATTRIBUTE_VALUES.get(tag, {})) for tag, names in ATTRIBUTES.items()},
        tag_attribute_values=ATTRIBUTE_VALUES,
        url_schemes={"http", "https", "mailto"},
        link_rel="nofollow noopener noreferrer",
        strip_comments=True,
    )


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}, renderer_cls=_Renderer).enable(["table", "strikethrough"])
    parser.use(dollarmath_plugin, allow_labels=False, allow_space=False, allow_digits=False, double_inline=True)
    for rule, function in [("math_inline", _math), ("math_inline_double", _math_shown), ("math_block", _math_block)]:
        parser.add_render_rule(rule, function)
    return parser


def _math(_self: Any, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    return mathml(tokens[index].content)


def _math_shown(_self: Any, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    return mathml(tokens[index].content, display=True)


def _hold(html: str) -> str:
    """Brackets and stops held to the formula that they touch: browsers may break a line beside any formula.

    Only the converter writes `<math`; where people write it, it is escaped.
    """
    before, *pieces = html.split("<math")
    held = []
    for piece in pieces:
        formula, end, after = piece.partition("</math>")
        text, opening = _split_at(before, len(before.rstrip("([")))
        closing, before = _split_at(after, len(after) - len(after.lstrip(")].,;:!?")))
        whole = f"{opening}<math{formula}{end}{closing}"
        held += [text, f'<span class="held">{whole}</span>' if opening or closing else whole]
    return "".join([*held, before])


def _split_at(text: str, index: int) -> tuple[str, str]:
    return text[:index], text[index:]


def _math_block(_self: Any, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    return f'<div class="math-block">{mathml(tokens[index].content, display=True)}</div>\n'


class _Renderer(RendererHTML):
    """What differs from CommonMark's HTML: headings, images, alignment by class."""

    def heading_open(self, tokens: Sequence[Token], index: int, options: Any, env: Mapping[str, Any]) -> str:
        return f"<{_heading(tokens[index], env)}>"

    def heading_close(self, tokens: Sequence[Token], index: int, options: Any, env: Mapping[str, Any]) -> str:
        return f"</{_heading(tokens[index], env)}>\n"

    def image(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        token = tokens[index]
        words = self.renderInlineAsText(token.children or [], options, env)
        resolve: ImageUrl | None = env.get("image_url")
        address = resolve(str(token.attrGet("src") or "")) if resolve else None
        if address is None:
            return f'<span class="missing-image">{escape(words)}</span>'
        return f'<img src="{escape(address)}" alt="{escape(words)}">'

    def td_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return _cell(tokens[index])

    def th_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return _cell(tokens[index])


def mathml(formula: str, *, display: bool = False) -> str:
    """One TeX formula as MathML; what the converter does not understand is shown as its source."""
    source = f'<code class="math-source">{escape(formula)}</code>'
    if len(formula) > FORMULA_LIMIT_CHARS:
        return source
    try:
        return str(convert(formula, display="block" if display else "inline"))
    except Exception:  # the converter raises many kinds (its own, IndexError, RecursionError); a page must not fail
        return source


def _heading(token: Token, env: Mapping[str, Any]) -> str:
    return f"h{min(6, int(token.tag[1:]) + int(env['heading_shift']))}"


def _cell(token: Token) -> str:
    """A table cell; markdown-it says alignment by a style attribute, which the page's policy forbids."""
    style = str(token.attrGet("style") or "")
    side = style.removeprefix("text-align:") if style.startswith("text-align:") else ""
    return f'<{token.tag} class="align-{side}">' if side else f"<{token.tag}>"
