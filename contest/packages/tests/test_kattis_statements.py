"""Statements in several languages and forms, with their pictures."""

import tracemalloc

import pytest

from contest.packages.tests.packs import LEGACY, MODERN, changed, read, refusal

PNG = b"\x89PNG\r\n\x1a\n picture"


def test_each_language_has_its_statement_and_name() -> None:
    yaml = b"problem_format_version: 2023-07\nname: {en: Sums, ko: \xed\x95\xa9}\n"
    korean = {"problem.yaml": yaml, "statement/problem.ko.md": "두 수를 더하라.\n".encode()}
    package = read(changed(MODERN) | korean)
    assert [(text.language, text.title) for text in package.statements] == [("en", "Sums"), ("ko", "합")]
    assert package.name == "Sums"


def test_markdown_goes_before_latex_and_latex_before_pdf() -> None:
    more = {"statement/problem.en.tex": b"tex", "statement/problem.en.pdf": b"%PDF-1.4"}
    assert read(changed(MODERN) | more).statements[0].markdown == "Add $a$ and $b$.\n"
    package = read(changed(MODERN, "statement/problem.en.md") | more)
    assert package.statements[0].markdown == "tex\n"


def test_a_pdf_is_kept_as_it_is_and_must_be_one() -> None:
    path = "problem_statement/problem.pdf"
    base = changed(LEGACY, "problem_statement/problem.en.tex")
    statement = read(base | {path: b"%PDF-1.4 text"}).statements[0]
    assert (statement.language, statement.markdown) == ("en", None)
    assert statement.pdf is not None
    assert "is no PDF" in refusal(base | {path: b"<script>"})


def test_pictures_must_be_what_their_names_say() -> None:
    more = {"statement/a.png": PNG, "statement/b.png": b"<svg onload=x>", "statement/c.html": b"<p>"}
    package = read(changed(MODERN) | more)
    assert list(package.images) == ["a.png"]
    assert sum("so no page shows it" in sentence for sentence in package.report.ignored) == 2


@pytest.mark.parametrize("path", ["statement/problem.en.md", "submissions/accepted/sums.cpp"])
def test_constants_do_not_make_a_small_package_large(path: str) -> None:
    files = changed(MODERN) | {
        "problem.yaml": b"problem_format_version: 2023-07\nname: x\nconstants: {A: '" + b"x" * 60_000 + b"'}\n",
        path: b"{{A}}" * 50_000,
    }
    tracemalloc.start()
    try:
        assert f"{path} is longer than" in refusal(files)
        assert tracemalloc.get_traced_memory()[1] < 50_000_000, "it would have been three gigabytes"
    finally:
        tracemalloc.stop()


def test_no_package_has_statements_in_all_the_languages_of_the_world() -> None:
    tags = [f"{first}{second}" for first in "abcdefg" for second in "abcdefg"]
    assert "more than 40 languages" in refusal(changed(MODERN) | {f"statement/problem.{tag}.md": b"x" for tag in tags})


def test_constants_are_put_into_statement_and_programs() -> None:
    more = {
        "problem.yaml": b"problem_format_version: 2023-07\nname: x\nconstants: {MAX_N: 100}\n",
        "statement/problem.en.md": b"At most {{MAX_N}}, never {{OTHER}}.\n{{nextsample}}\n",
        "submissions/accepted/sums.cpp": b"int a[{{MAX_N}}];\n",
    }
    package = read(changed(MODERN) | more)
    assert package.statements[0].markdown == "At most 100, never {{OTHER}}.\n\n"
    assert package.submissions[0].program.files[0].contents == b"int a[100];\n"


def test_text_that_is_not_utf_8_is_refused() -> None:
    assert "NUL" in refusal(changed(MODERN) | {"statement/problem.en.md": b"a\0b"})
    assert "not UTF-8" in refusal(changed(MODERN) | {"statement/problem.en.md": b"\xff\xfe"})


def test_a_statement_in_the_other_form_s_folder_is_taken_with_a_warning() -> None:
    base = changed(MODERN, "statement/problem.en.md") | {"problem_statement/problem.en.md": b"Hello\n"}
    package = read(base)
    assert package.statements[0].markdown == "Hello\n"
    assert any("should be statement/" in warning for warning in package.report.warnings)
