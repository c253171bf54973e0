"""LaTeX statements as Markdown: the small part of LaTeX that statements of problems use.

Mathematics between dollars stays as it is, since Markdown here knows it. What is not understood loses its
command and keeps its text, and is named to the caller, who tells the person who imports.
"""

from __future__ import annotations

import html
import re

MOST_CHARACTERS = 128 * 1024
# Lengths are bounded so that openings without an end cost a constant each.
_TOKEN = re.compile(
    r"(?P<comment>%[^\n]*\n?)"
    r"|(?P<math>\$\$.{1,2000}?\$\$|\$(?:\\.|[^$\\]){1,2000}\$|\\\[.{1,2000}?\\\]|\\\(.{1,2000}?\\\))"
    r"|(?P<verbatim>\\begin\{(verbatim|lstlisting)\}.{0,20000}?\\end\{\4\})"
    r"|(?P<command>\\[a-zA-Z]+\*?|\\.)"
    r"|(?P<text>[^\\$%{}\[\]]+|.)",
    re.DOTALL,
)
_MARKS = {"textbf": "**", "textit": "*", "emph": "*", "texttt": "`", "bf": "**", "it": "*", "em": "*", "tt": "`"}
_DECLARATIONS = frozenset({"bf", "it", "em", "tt"})
_SIGNS = {
    "ldots": "…", "dots": "…", "textellipsis": "…", "\\": "  \n", "newline": "  \n", "%": "%", "&": "&amp;",
    "#": "\\#", "_": "\\_", "$": "\\$", "{": "{", "}": "}", " ": " ", "\n": " ", ",": " ", "-": "", "noindent": "",
    "textbackslash": "\\\\", "textasciitilde": "\\~", "par": "\n\n", "medskip": "\n\n", "bigskip": "\n\n",
    "centering": "", "small": "", "large": "", "nextsample": "", "remainingsamples": "", "maketitle": "",
}  # fmt: skip
_SECTIONS = {"section": "## ", "subsection": "### ", "subsubsection": "#### "}
_HEADINGS = {"Input": "## Input", "Output": "## Output", "Interaction": "## Interaction"}
_LISTS = {"itemize": "- ", "enumerate": "1. "}
_PLAIN = frozenset({"center", "quote", "quotation", "figure", "wrapfigure", "document", *_LISTS, *_HEADINGS})
# Commands whose arguments say how something looks, not what is read.
_LOOKS = {"vspace": 1, "hspace": 1, "label": 1, "textcolor": 1, "setlength": 2}
_BEGIN_LOOKS = {"tabular": 1, "wrapfigure": 2}
_TYPOGRAPHY = (("---", "—"), ("--", "–"), ("``", "“"), ("''", "”"), ("`", "‘"), ("~", "\N{NO-BREAK SPACE}"))


def latex_to_markdown(text: str) -> tuple[str, str, tuple[str, ...]]:
    """Markdown, the name of the problem if the text gives one, and the commands that were not understood."""
    plain_name = re.search(r"%% *plainproblemname: *([^\n]+)", text)
    reader = _Reader(text[:MOST_CHARACTERS])
    markdown = re.sub(r"\n{3,}", "\n\n", reader.all()).strip() + "\n"
    name = plain_name[1].strip() if plain_name else reader.name
    return markdown, name[:200], tuple(sorted(reader.unknown))


class _Reader:
    """Reads tokens from left to right. Groups in braces are read by the same means, to a bounded depth."""

    MOST_DEPTH = 50
    MOST_OPTION_TOKENS = 100  # between brackets; an opening one without an end costs no more

    def __init__(self, text: str) -> None:
        self.tokens = [(str(match.lastgroup), match[0]) for match in _TOKEN.finditer(text)]
        self.place = 0
        self.depth = 0
        self.name = ""
        self.unknown: set[str] = set()
        self.lists: list[str] = []

    def all(self) -> str:
        """Everything to the end; a closing brace too many is passed over."""
        parts = []
        while self.place < len(self.tokens):
            parts.append(self.rest_of_group())
            self.place += 1
        return "".join(parts)

    def rest_of_group(self) -> str:
        """Up to the closing brace, which stays, or the end."""
        parts = []
        while self.place < len(self.tokens) and self.tokens[self.place][1] != "}":
            parts.append(self.one())
        return "".join(parts)

    def one(self) -> str:
        """The next token with its arguments."""
        kind, text = self.tokens[self.place]
        self.place += 1
        if kind == "comment":
            return ""
        if kind == "math":
            return _math(text)
        if kind == "verbatim":
            return _verbatim(text)
        if kind == "command":
            return self.command(text[1:].rstrip("*"))
        return self.group() if text == "{" else _prose(text)

    def group(self) -> str:
        """The rest of a group whose opening brace has been read, and its closing brace."""
        inside = self.nested()
        self.place += 1
        return inside

    def nested(self) -> str:
        """`rest_of_group`, one level deeper; what is nested beyond reason ends the text."""
        self.depth += 1
        if self.depth > self.MOST_DEPTH:
            self.place = len(self.tokens)
        inside = self.rest_of_group()
        self.depth -= 1
        return inside

    def command(self, name: str) -> str:
        """What a command becomes; `name` is without backslash and star."""
        if name in _SIGNS:
            return _SIGNS[name]
        if name in _MARKS:
            inside = (self.nested() if name in _DECLARATIONS else self.argument()).strip()
            return f"{_MARKS[name]}{inside}{_MARKS[name]}" if inside else ""
        if name in _SECTIONS:
            return f"\n\n{_SECTIONS[name]}{self.argument()}\n\n"
        if action := getattr(self, f"do_{name}", None):
            return str(action())
        for _ in range(_LOOKS.get(name, 0)):
            self.raw_argument()
        if name not in _LOOKS:
            self.unknown.add(f"\\{name[:40]}")
        return ""

    def argument(self) -> str:
        """The next group in braces, converted."""
        return self.group().strip() if self.open_argument() else ""

    def raw_argument(self) -> str:
        """The next group in braces as it stands: names of files, addresses, lengths."""
        parts: list[str] = []
        if self.open_argument():
            while self.place < len(self.tokens) and self.tokens[self.place][1] != "}":
                parts.append(self.tokens[self.place][1])
                self.place += 1
            self.place += 1
        return "".join(parts).strip()

    def open_argument(self) -> bool:
        """Goes behind the next opening brace, past space and options in brackets, if there is one."""
        place = self.after_space(self.place)
        while self.text_at(place) == "[":
            inside = range(place, place + self.MOST_OPTION_TOKENS)
            end = next((here for here in inside if self.text_at(here) == "]"), None)
            if end is None:
                return False
            place = self.after_space(end + 1)
        if self.text_at(place) != "{":
            return False
        self.place = place + 1
        return True

    def text_at(self, place: int) -> str:
        return self.tokens[place][1] if place < len(self.tokens) else ""

    def after_space(self, place: int) -> int:
        while place < len(self.tokens) and not self.tokens[place][1].strip():
            place += 1
        return place

    def do_problemname(self) -> str:
        self.name = re.sub(r"\\([*_<#$~])", r"\1", html.unescape(self.argument()))
        return ""

    def do_begin(self) -> str:
        name = self.raw_argument().rstrip("*")
        if name in _LISTS:
            self.lists.append(name)
        for _ in range(_BEGIN_LOOKS.get(name, 0)):
            self.raw_argument()
        if name not in _PLAIN:
            self.unknown.add(f"\\begin{{{name[:40]}}}")
        return f"\n\n{_HEADINGS.get(name, '')}\n\n"

    def do_end(self) -> str:
        if self.raw_argument() in _LISTS and self.lists:
            self.lists.pop()
        return "\n\n"

    def do_item(self) -> str:
        self.place = self.after_space(self.place)
        if self.text_at(self.place).startswith((" ", "\n")):
            self.tokens[self.place] = ("text", self.text_at(self.place).lstrip())
        indent = "    " * (len(self.lists) - 1)
        return f"\n{indent}{_LISTS[self.lists[-1]] if self.lists else '- '}"

    def do_includegraphics(self) -> str:
        return f"![]({self.raw_argument()})"

    def do_illustration(self) -> str:
        self.raw_argument()
        file = self.raw_argument()
        return f"\n\n![]({file})\n\n{self.argument()}\n\n"

    def do_href(self) -> str:
        address = self.raw_argument()
        return f"[{self.argument()}]({address})"

    def do_url(self) -> str:
        return f"<{self.raw_argument()}>"


def _math(text: str) -> str:
    """Mathematics between dollars, as Markdown knows it."""
    if text.startswith(("$$", "\\[")):
        return f"\n\n$$\n{text[2:-2].strip()}\n$$\n\n"
    return f"${(text[2:-2] if text.startswith(chr(92)) else text[1:-1]).strip()}$"


def _verbatim(text: str) -> str:
    body = re.sub(r"\A\\begin\{\w+\}(\[[^\]]*\])?\n?|\\end\{\w+\}\Z", "", text)
    return f"\n\n```\n{body.rstrip()}\n```\n\n"


def _prose(text: str) -> str:
    """Plain text: signs that Markdown would take for its own are escaped, indentation means nothing."""
    for written, shown in _TYPOGRAPHY:
        text = text.replace(written, shown)
    text = re.sub(r"[*_<#]", lambda sign: "\\" + sign[0], text)
    return re.sub(r"\n[ \t]+", "\n", text)
