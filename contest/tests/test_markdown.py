"""Markdown becomes HTML that is safe, whatever is written, and mathematics becomes MathML."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.markdown import HTML_TAGS, MATHML_TAGS, mathml, render_markdown, sanitise

ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<a href='javascript:alert(1)'>x</a>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](vbscript:msgbox)",
    "![x](javascript:alert(1))",
    "<p style='position:fixed'>x</p>",
    "$\\text{<script>alert(1)</script>}$",
    "$\\href{javascript:alert(1)}{x}$",
    "$$\\style{color:red}{<img src=x onerror=alert(1)>}$$",
    '$\\class{x" onclick="alert(1)}{y}$',
    "```\n</code></pre><script>alert(1)</script>\n```",
    "| a |\n|:-:|\n| <script>alert(1)</script> |",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<svg><animate onbegin=alert(1) attributeName=x>",
    '<https://x.example/"onmouseover=alert(1)>',
    "[x]: javascript:alert(1)\n\n[x]",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
]


class Wall(HTMLParser):
    """Fails on anything that a page must not contain."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in HTML_TAGS | MATHML_TAGS, f"<{tag}> came through"
        for name, value in attrs:
            assert not name.startswith("on"), f"{name} came through"
            assert name != "style", "a style attribute breaks the page's policy"
            if name in ("href", "src"):
                assert re.match(r"(https?:|mailto:|[/#?.\w-]*$|/)", value or ""), f"{value} came through"
                assert not (value or "").lower().startswith(("javascript", "data:", "vbscript"))


@pytest.mark.parametrize("text", ATTACKS)
def test_no_attack_comes_through_either_wall(text: str) -> None:
    Wall().feed(render_markdown(text))
    Wall().feed(sanitise(text))


@given(
    st.lists(st.sampled_from([*ATTACKS, "**", "`", "$", "$$", "\n", "\n\n", "> ", "- ", "|", "x", "\\"]), max_size=8)
)
def test_no_mixture_of_attacks_comes_through(pieces: list[str]) -> None:
    Wall().feed(render_markdown("".join(pieces)))


@given(st.text(max_size=300))
def test_anything_at_all_can_be_rendered(text: str) -> None:
    Wall().feed(render_markdown(text))


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("**bold** and `code`", "<p><strong>bold</strong> and <code>code</code></p>"),
        ("# Title", "<h2>Title</h2>"),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"),
        ("3. x", '<ol start="3">\n<li>x</li>\n</ol>'),
        ("~~gone~~", "<p><s>gone</s></p>"),
        ("<b>raw</b>", "<p>&lt;b&gt;raw&lt;/b&gt;</p>"),
        ("costs $5 and $6", "<p>costs $5 and $6</p>"),
        ("![a cat](cat.png)", '<p><span class="missing-image">a cat</span></p>'),
        ("[x](https://a.example)", '<p><a href="https://a.example" rel="nofollow noopener noreferrer">x</a></p>'),
    ],
)
def test_what_people_write(text: str, html: str) -> None:
    assert render_markdown(text).strip() == html


def test_images_come_from_this_site_only() -> None:
    def known(name: str) -> str | None:
        return "/images/cat.png" if name == "cat.png" else None

    html = render_markdown("![a](cat.png) ![b](https://elsewhere.example/x.png)", image_url=known)
    assert '<img src="/images/cat.png" alt="a">' in html
    assert "elsewhere" not in html


@pytest.mark.parametrize(
    "formula",
    [
        "a_i \\le 10^{18}",
        "\\sum_{i=1}^{n} \\frac{x_i}{2}",
        "\\begin{cases} a & b \\\\ c & d \\end{cases}",
        "\\lfloor \\sqrt[3]{x} \\rfloor",
        "\\text{if } x \\in \\mathbb{R}",
        "\\left( \\binom{n}{k} \\right)",
    ],
)
def test_formulas_become_mathml_and_survive_the_second_wall(formula: str) -> None:
    html = render_markdown(f"${formula}$")
    assert "<math" in html
    assert "math-source" not in html


@pytest.mark.parametrize("formula", ["\\frac", "\\begin{x}", "{" * 2000, "x" * 5000, "\\left("])
def test_a_formula_that_is_none_is_shown_as_its_source(formula: str) -> None:
    assert mathml(formula).startswith('<code class="math-source">')


def test_alignment_of_columns_is_a_class_not_a_style() -> None:
    html = render_markdown("| a | b |\n|--:|:-:|\n| 1 | 2 |")
    assert '<td class="align-right">1</td>' in html
    assert "style" not in html


def test_brackets_and_stops_stay_with_the_formula_that_they_touch() -> None:
    html = render_markdown("so ($a$) is, $b$. And $c$ is")
    assert re.search(r'so <span class="held">\(<math[^§]*?</math>\)</span> is, <span class="held"><math', html)
    assert "</math>.</span> And <math" in html
