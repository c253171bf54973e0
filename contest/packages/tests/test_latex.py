"""LaTeX statements become readable Markdown, and what could not be read is named."""

import time

import pytest

from contest.packages.kattis.latex import MOST_CHARACTERS, latex_to_markdown

STATEMENT = r"""
\problemname{Sums \& more}
% for the jury only
Alice has $n$ numbers, \emph{all} of them at most~$10^9$. She says ``hello''.
  {\bf Take care.} A name like a_b costs 5\% -- really.

\section*{Input}
\begin{itemize}
  \item a line with $n$ ($1 \le n \le 10$)
  \item \texttt{0} ends it:
  \[ x^2 + y^2 \]
\end{itemize}
\illustration{0.3}{pic_1.png}{A picture}
\includegraphics[width=0.5\textwidth]{other.png}
\begin{verbatim}
  5% of $x$
\end{verbatim}
\begin{tabular}{ll} a & b \end{tabular}
\fancy{kept text}
"""


def test_what_statements_use_is_converted() -> None:
    markdown, name, unknown = latex_to_markdown(STATEMENT)
    assert name == "Sums & more"
    assert "jury only" not in markdown
    assert "Alice has $n$ numbers, *all* of them at most\N{NO-BREAK SPACE}$10^9$. She says “hello”." in markdown
    assert "\n**Take care.** A name like a\\_b costs 5% – really." in markdown
    assert "\n## Input\n" in markdown
    assert "\n- a line with $n$ ($1 \\le n \\le 10$)\n" in markdown
    assert "\n- `0` ends it:" in markdown
    assert "\n$$\nx^2 + y^2\n$$\n" in markdown
    assert "![](pic_1.png)\n\nA picture" in markdown
    assert "![](other.png)" in markdown
    assert "```\n  5% of $x$\n```" in markdown
    assert "\n\n a & b" in markdown
    assert "kept text" in markdown
    assert unknown == ("\\begin{tabular}", "\\fancy")


def test_a_plain_name_goes_before_the_typeset_one() -> None:
    text = "%% plainproblemname: x^2 and y\n\\problemname{$x^2$ and $y$}\nHello"
    assert latex_to_markdown(text) == ("Hello\n", "x^2 and y", ())


@pytest.mark.slow
def test_openings_without_an_end_cost_little() -> None:
    openings = (
        "$$ ",
        "\\[",
        "{",
        "\\begin{verbatim}",
        "\\textbf{",
        "\\item[",
        "$",
        "}",
        "\\textbf[",
        "\\bf ",
        "[",
        "\\em[a",
    )
    for opening in openings:
        started = time.thread_time()
        latex_to_markdown(opening * (MOST_CHARACTERS // len(opening)))
        assert time.thread_time() - started < 5, opening
