"""Submitting by form, statements and the files of packages."""

from __future__ import annotations

import hashlib

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from pytest_django import Settings

from contest.models import Blob, Contest, Package, Record, User
from contest.tests.people import entered

pytestmark = pytest.mark.django_db
PATH = "/contests/cup/problems/A/submit/"


def post(user: User, **fields: object) -> HttpResponse:
    response = entered(user).post(PATH, {"language": "python", **fields})
    assert isinstance(response, HttpResponse)
    return response


def package_of(contest: Contest) -> Package:
    package = contest.problems.get(label="A").package
    assert package is not None
    return package


def blob(data: bytes) -> Blob:
    digest = hashlib.sha256(data).hexdigest()
    return Blob.objects.create(sha256=digest, data=data, size_bytes=len(data))


# --- Submitting -----------------------------------------------------------------------------------


def test_text_is_submitted_with_the_lines_that_were_typed(contest: Contest, alice: User) -> None:
    answer = post(alice, source="print(1)\r\nprint(2)\r\n")
    record = Record.objects.get()
    assert (answer.status_code, answer["Location"]) == (303, f"/records/{record.pk}/")
    assert record.source == "print(1)\nprint(2)\n"


def test_a_file_is_submitted_byte_for_byte_and_goes_before_the_text(contest: Contest, alice: User) -> None:
    source = "print('ü')\r\n".encode()
    post(alice, source="other", source_file=SimpleUploadedFile("a.py", source))
    assert Record.objects.get().source_sha256 == hashlib.sha256(source).hexdigest()


def test_the_files_name_tells_the_language(contest: Contest, alice: User) -> None:
    post(alice, language="", source_file=SimpleUploadedFile("a.CPP", b"int main(){}"))
    assert Record.objects.get().language == "cpp"


def test_the_same_idempotency_key_leads_to_the_same_record(contest: Contest, alice: User) -> None:
    places = {post(alice, source="print(1)", idempotency_key="k1")["Location"] for _ in range(3)}
    assert len(places) == 1
    refused = post(alice, source="print(2)", idempotency_key="k1")
    assert refused.status_code == 400
    assert "print(2)" in refused.content.decode(), "what was typed is still there"
    assert Record.objects.count() == 1


def test_a_double_click_submits_once_and_a_page_that_came_back_can_submit_something_else(
    contest: Contest, alice: User
) -> None:
    first, again = (post(alice, source="print(1)", form_key="page-1")["Location"] for _ in range(2))
    assert first == again
    assert post(alice, source="print(2)", form_key="page-1")["Location"] != first
    assert Record.objects.count() == 2


@pytest.mark.parametrize(
    ("fields", "status", "words"),
    [
        ({"source": ""}, 400, "Write a program or choose a file."),
        ({"source": "x", "language": "cobol"}, 400, "not one of the available choices"),
        ({"source": "x", "language": ""}, 400, "Choose a language."),
        ({"source": "x", "idempotency_key": "k" * 101}, 400, "at most 100"),
        ({"source_file": SimpleUploadedFile("a.py", b"\xff\xfe")}, 400, "not text in UTF-8"),
        ({"source_file": SimpleUploadedFile("a.py", b"x" * (256 * 1024 + 1))}, 400, "larger than 256 KiB"),
        ({"source_file": SimpleUploadedFile("a.py", b"")}, 400, "empty"),
        ({"source": "x" * (256 * 1024 + 1)}, 400, "larger than 256 KiB"),
        ({"source": "a\x00b"}, 400, "Null characters are not allowed"),
    ],
)
def test_what_is_refused_comes_back_in_words_with_what_was_typed(
    contest: Contest, alice: User, fields: dict[str, object], status: int, words: str
) -> None:
    answer = post(alice, **fields)
    html = answer.content.decode()
    assert answer.status_code == status
    assert words in html
    assert not Record.objects.exists()
    if fields.get("source") == "x":
        assert ">x</textarea>" in html


def test_a_contestant_with_too_many_waiting_records_is_told_when_to_try_again(
    contest: Contest, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("contest.services.records.UNJUDGED_LIMIT", 1)
    post(alice, source="print(1)")
    answer = post(alice, source="print(2)")
    assert (answer.status_code, answer["Retry-After"]) == (429, "10")


def test_a_contestant_who_submits_too_often_is_told_how_long_to_wait_and_keeps_the_text(
    contest: Contest, alice: User, settings: Settings
) -> None:
    settings.SUBMISSIONS_PER_MIN = 1
    assert post(alice, source="print(1)").status_code == 303
    answer = post(alice, source="print(2)")
    wait_s = int(answer["Retry-After"])
    assert answer.status_code == 429
    assert 50 < wait_s <= 60
    page = answer.content.decode()
    assert f"try again in {wait_s} seconds" in page
    assert ">print(2)</textarea>" in page
    assert Record.objects.count() == 1


def test_the_panel_says_when_a_selftest_ends_at_the_latest(contest: Contest, alice: User) -> None:
    page = entered(alice).get("/contests/cup/problems/A/").content.decode()
    assert "15.00 s in all at the latest, also for a program that only waits" in page


def test_signing_in_again_leads_from_the_address_that_takes_the_form_to_the_problem(
    contest: Contest, alice: User
) -> None:
    browser = entered(None)
    sign_in = browser.post(PATH, {"language": "python", "source": "x"})["Location"]
    assert sign_in == f"/accounts/login/?next={PATH}", "the premise: the way back is an address that takes only forms"
    back = browser.post(sign_in, {"username": "alice", "password": "demo-alice"}, follow=True)
    assert back.request["PATH_INFO"] == "/contests/cup/problems/A/"
    assert back.status_code == 200


def test_strangers_do_not_learn_that_the_problem_exists(contest: Contest, mallory: User) -> None:
    assert post(mallory, source="x").status_code == 404
    assert entered(None).post(PATH, {"source": "x"}).status_code == 302


def test_what_is_wrong_with_a_form_is_said_on_top_of_it_and_takes_the_focus(contest: Contest, alice: User) -> None:
    html = post(alice, source="x", language="").content.decode()
    summary = html[html.index("form-errors") :]
    assert summary.startswith('form-errors" role="alert" tabindex="-1" autofocus>')
    assert '<a href="#id_language">Language</a>: Choose a language.' in summary
    assert "at most 256 KiB" in html, "the limit is said before it is met"


def test_a_question_is_about_the_problem_it_is_asked_from_and_leads_back_there(contest: Contest, alice: User) -> None:
    page = "/contests/cup/problems/A/"
    html = entered(alice).get(page).content.decode()
    assert '<option value="A" selected>A. Sum</option>' in html
    assert f'name="next" value="{page}"' in html
    asked = entered(alice).post("/contests/cup/clarifications/", {"problem": "A", "text": "?", "next": page})
    assert asked["Location"] == page


# --- Statements and files -------------------------------------------------------------------------


def test_a_statement_is_shown_in_the_language_asked_for(contest: Contest, alice: User) -> None:
    package = package_of(contest)
    package.statements = {"en": "Add.", "ko": "더하라."}
    package.save()
    client = entered(alice)
    page = "/contests/cup/problems/A/"
    assert "Add." in client.get(page).content.decode()
    assert "더하라." in client.get(page, headers={"accept-language": "ko-KR,ko;q=0.9,en;q=0.5"}).content.decode()
    assert "더하라." in client.get(f"{page}?lang=ko").content.decode()
    alice.language = "ko"
    alice.save()
    assert "더하라." in client.get(page).content.decode()
    assert '<a href="?lang=en" lang="en">English</a>' in client.get(page).content.decode()


def test_an_image_of_the_package_is_served_by_the_site_and_cannot_run_scripts(contest: Contest, alice: User) -> None:
    package = package_of(contest)
    package.statements = {"en": "![a map](map.svg) ![no](none.png)"}
    package.images = {"map.svg": blob(b"<svg><script>alert(1)</script></svg>").pk, "tool.exe": blob(b"MZ").pk}
    package.save()
    client = entered(alice)
    html = client.get("/contests/cup/problems/A/").content.decode()
    assert '<img src="/contests/cup/problems/A/images/map.svg" alt="a map">' in html
    answer = client.get("/contests/cup/problems/A/images/map.svg")
    assert answer["Content-Type"] == "image/svg+xml"
    assert "sandbox" in answer["Content-Security-Policy"]
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Cache-Control"].startswith("private")
    again = client.get("/contests/cup/problems/A/images/map.svg", headers={"if-none-match": answer["ETag"]})
    assert again.status_code == 304
    for name in ("none.png", "tool.exe", "../../secret"):
        assert client.get(f"/contests/cup/problems/A/images/{name}").status_code == 404


def test_images_and_statements_are_hidden_with_their_problem(contest: Contest, mallory: User) -> None:
    package = package_of(contest)
    package.images = {"map.png": blob(b"\x89PNG").pk}
    package.save()
    assert entered(mallory).get("/contests/cup/problems/A/images/map.png").status_code == 404
    assert entered(mallory).get("/contests/cup/problems/A/statement.pdf").status_code == 404


def test_a_statement_as_pdf_may_be_shown_inside_this_site_only(contest: Contest, alice: User) -> None:
    package = package_of(contest)
    package.statements, package.statement_pdf = {}, blob(b"%PDF-1.4")
    package.save()
    client = entered(alice)
    assert "statement.pdf" in client.get("/contests/cup/problems/A/").content.decode()
    answer = client.get("/contests/cup/problems/A/statement.pdf")
    assert answer["Content-Type"] == "application/pdf"
    assert answer["X-Frame-Options"] == "SAMEORIGIN"
    assert "frame-ancestors 'self'" in answer["Content-Security-Policy"]


def test_samples_are_shown_and_offered_as_files(contest: Contest, alice: User) -> None:
    client = entered(alice)
    html = client.get("/contests/cup/problems/A/").content.decode()
    assert '<pre id="in-1" tabindex="0">1 2\n</pre>' in html
    assert "20 22" not in html, "a secret case is on the page"
    answer = client.get("/contests/cup/problems/A/samples/1.ans")
    assert (answer.content, answer["Content-Disposition"]) == (b"3\n", 'attachment; filename="A-1.ans"')
