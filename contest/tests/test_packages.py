"""Importing a package changes everything that it should, or nothing at all."""

from __future__ import annotations

import io
from pathlib import Path
from unittest import mock

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from contest.access import rights_in
from contest.demo import PROBLEMS
from contest.models import Blob, Contest, Package, PackageTest, Problem, Record, User
from contest.models.queue import QueueClass, Status
from contest.packages.tests.archives import zipped
from contest.packages.tests.packs import LEGACY, MODERN, changed, packed
from contest.selectors.packages import package_report, package_versions
from contest.selectors.records import RecordFilter, list_records
from contest.services.errors import Refused
from contest.services.packages import import_package
from contest.services.problems import delete_draft, hide_problem, publish_problem
from contest.services.records import submit


def counts() -> list[int]:
    return [model.objects.count() for model in (Blob, Package, PackageTest, Problem, Record)]


def test_a_package_becomes_a_draft_with_all_its_tests(contest: Contest, grace: User) -> None:
    package = import_package(packed(MODERN), contest, "S", grace)
    problem = Problem.objects.get(contest=contest, label="S")
    assert problem.package == package
    assert problem.is_draft
    assert problem.title == "Sums"
    assert (package.version, package.imported_by, package.source_format) == (1, grace, "2023-07")
    assert package.statements == {"en": "Add $a$ and $b$.\n"}
    assert (package.time_limit_ms, package.memory_limit_kb) == (2500, 256 * 1024)
    tests = list(package.tests.all())
    assert [(test.index, test.name, test.is_sample) for test in tests] == [
        (1, "sample/1", True),
        (2, "secret/1", False),
    ]
    assert bytes(tests[1].input.data) == b"20 22\n"
    assert bytes(tests[1].answer.data) == b"42\n"


def test_an_upload_and_a_folder_are_imported_alike(contest: Contest, grace: User, tmp_path: Path) -> None:
    upload = SimpleUploadedFile("sums.zip", packed(MODERN).getvalue())
    for name, contents in MODERN.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(contents)
    assert import_package(upload, contest, "S", grace).sha256 == import_package(tmp_path, contest, "T", None).sha256


def test_importing_again_replaces_all_tests_and_records_keep_their_version(
    contest: Contest, grace: User, alice: User
) -> None:
    first = import_package(packed(MODERN), contest, "S", grace)
    Problem.objects.filter(label="S").update(is_draft=False)
    record = submit(Problem.objects.get(label="S"), alice, language="cpp", source="int main() {}")
    second = import_package(packed(changed(MODERN) | {"data/secret/1.ans": b"43\n"}), contest, "S", grace)
    assert (first.version, second.version) == (1, 2)
    problem = Problem.objects.get(contest=contest, label="S")
    assert problem.package == second
    assert not problem.is_draft, "an open problem stays open"
    assert bytes(second.tests.get(index=2).answer.data) == b"43\n"
    record.refresh_from_db()
    assert record.package == first
    assert bytes(first.tests.get(index=2).answer.data) == b"42\n"
    assert package_versions(problem) == [second, first]


def test_the_same_bytes_are_stored_once(contest: Contest, grace: User) -> None:
    import_package(packed(MODERN), contest, "S", grace)
    before = Blob.objects.count()
    import_package(packed(MODERN), contest, "T", grace)
    assert Blob.objects.count() == before


@pytest.mark.parametrize(
    ("archive", "sentence"),
    [
        (packed(changed(MODERN, "data/secret/1.ans")), "data/secret/1.ans is missing"),
        (packed(changed(MODERN) | {"problem.yaml": b"name: [\n"}), "broken YAML"),
        (zipped({**LEGACY, "../evil": b"x"}), "leads out of the archive"),
        (zipped({**LEGACY, "bomb": bytes(200_000_000)}), "is it a bomb"),
        (packed(changed(MODERN) | {"problem.yaml": MODERN["problem.yaml"] + b"type: interactive\n",
                                   "output_validator/talk.py": b""}), "interactive"),
        (io.BytesIO(b"hello"), "neither a zip"),
    ],
    ids=["answer", "yaml", "slip", "bomb", "interactive", "text"],
)  # fmt: skip
def test_what_is_wrong_with_a_package_is_said_and_nothing_is_stored(
    contest: Contest, grace: User, archive: io.BytesIO, sentence: str
) -> None:
    before = counts()
    with pytest.raises(Refused, match=sentence):
        import_package(archive, contest, "S", grace)
    assert counts() == before


def test_a_failure_half_way_leaves_nothing(contest: Contest, grace: User) -> None:
    before = counts()
    with (
        mock.patch("contest.services.packages._submit_sample", side_effect=OSError("the disk is full")) as failing,
        pytest.raises(OSError, match="disk"),
    ):
        import_package(packed(MODERN), contest, "S", grace)
    assert failing.called, "the premise: blobs, tests and the problem had been written"
    assert counts() == before


@pytest.mark.parametrize("label", ["", "A B", "../A", "TOOLONGLABEL", "A\n"])
def test_a_label_that_would_be_no_address_is_refused(contest: Contest, grace: User, label: str) -> None:
    with pytest.raises(Refused, match="label"):
        import_package(packed(MODERN), contest, label, grace)


def test_only_the_jury_imports(contest: Contest, alice: User, mallory: User) -> None:
    for user in (alice, mallory):
        with pytest.raises(Refused, match="jury"):
            import_package(packed(MODERN), contest, "S", user)
    assert not Problem.objects.filter(label="S").exists()


def test_sample_submissions_wait_behind_contestants_and_are_in_no_list(contest: Contest, grace: User) -> None:
    package = import_package(packed(MODERN), contest, "S", grace)
    record = Record.objects.get(package=package)
    assert (record.purpose, record.queue_class, record.user) == ("package", QueueClass.BACKGROUND, None)
    assert (record.file_name, record.language, record.expected_verdicts) == ("accepted/sums.cpp", "cpp", ["AC"])
    assert record.source == "int main() {}\n"
    assert record.cases_total == 2
    assert list_records(contest, rights_in(contest, grace), RecordFilter())[0] == []


def test_sample_submissions_can_be_left_out(contest: Contest, grace: User) -> None:
    package = import_package(packed(MODERN), contest, "S", grace, judge_samples=False)
    assert package_report(package).samples == ()
    assert not Record.objects.exists()


def test_samples_left_unjudged_are_judged_when_the_same_package_comes_again_and_only_once(
    contest: Contest, grace: User
) -> None:
    first = import_package(packed(MODERN), contest, "S", grace, judge_samples=False)
    for _ in range(2):
        assert import_package(packed(MODERN), contest, "S", grace) == first
        assert Record.objects.filter(package=first).count() == 1


def test_the_report_compares_verdicts_with_expectations_while_they_come_in(contest: Contest, grace: User) -> None:
    more = {"submissions/wrong_answer/w.py": b"print(1)\n", "submissions/time_limit_exceeded/t.py": b"1\n"}
    package = import_package(packed(changed(MODERN) | more), contest, "S", grace)
    assert [sample.as_expected for sample in package_report(package).samples] == [None, None, None]
    for file_name, verdict in (("accepted/sums.cpp", "AC"), ("wrong_answer/w.py", "JE")):
        Record.objects.filter(file_name=file_name).update(status=Status.FINAL, verdict=verdict)
    report = package_report(package)
    assert {sample.file_name: sample.as_expected for sample in report.samples} == {
        "accepted/sums.cpp": True,
        "time_limit_exceeded/t.py": None,
        "wrong_answer/w.py": False,
    }
    assert not report.is_judged
    assert [sample.file_name for sample in report.unexpected] == ["wrong_answer/w.py"]
    assert "1 sample and 1 secret test cases." in report.found


def test_groups_validators_and_flags_arrive_in_the_rows(contest: Contest, grace: User) -> None:
    stairs = import_package(PROBLEMS / "E", contest, "E", grace)
    assert [group["name"] for group in stairs.scoring["groups"]] == ["sample", "1-small", "2-middle", "3-huge"]
    assert stairs.scoring["groups"][3] == {
        "name": "3-huge", "score": 50.0, "mode": "min", "depends": ["1-small", "2-middle"],
    }  # fmt: skip
    assert set(stairs.tests.values_list("group", flat=True)) == {"sample", "1-small", "2-middle", "3-huge"}
    lights = import_package(PROBLEMS / "D", contest, "D", grace)
    assert (lights.comparison, lights.validator_language) == ("validator", "cpp")
    source = Blob.objects.get(pk=lights.validator_files["check.cpp"])
    assert bytes(source.data) == (PROBLEMS / "D/output_validators/check.cpp").read_bytes()
    cable = import_package(PROBLEMS / "B", contest, "B", grace)
    assert cable.tests.get(index=1).validator_flags == ["float_tolerance", "1e-9"]


def test_only_the_jury_shows_and_hides_a_problem(contest: Contest, alice: User, grace: User) -> None:
    problem = contest.problems.get()
    for service in (hide_problem, publish_problem):
        with pytest.raises(Refused) as refused:
            service(problem, alice)
        assert refused.value.code == "forbidden"
        assert not Problem.objects.get().is_draft
    hide_problem(problem, grace)
    assert Problem.objects.get().is_draft
    publish_problem(problem, grace)
    assert not Problem.objects.get().is_draft


def test_the_same_package_again_makes_no_new_version(contest: Contest, grace: User) -> None:
    first = import_package(packed(MODERN), contest, "S", grace)
    assert import_package(packed(MODERN), contest, "S", grace) == first
    assert [package.version for package in package_versions(first.problem)] == [1]
    assert Record.objects.count() == 1, "its sample submission is not judged again"


def test_a_label_means_the_problem_that_is_there_and_a_new_one_is_in_capitals(contest: Contest, grace: User) -> None:
    assert import_package(packed(MODERN), contest, "a", grace).problem == contest.problems.get(label="A")
    assert import_package(packed(MODERN), contest, "b2", grace).problem.label == "B2"


def test_problems_stand_by_label_until_positions_are_given_then_a_new_one_goes_last(
    contest: Contest, grace: User
) -> None:
    for label in ("F", "B"):
        import_package(packed(MODERN), contest, label, grace)
    assert [problem.label for problem in contest.problems.all()] == ["A", "B", "F"]
    for position, label in enumerate("FBA", start=1):
        contest.problems.filter(label=label).update(position=position)
    import_package(packed(MODERN), contest, "C", grace)
    assert [problem.label for problem in contest.problems.all()] == ["F", "B", "A", "C"]


def test_a_draft_goes_with_its_package_until_somebody_has_submitted(contest: Contest, alice: User, grace: User) -> None:
    problem = import_package(packed(MODERN), contest, "S", grace).problem
    with pytest.raises(Refused, match="jury"):
        delete_draft(problem, alice)
    submit(problem, grace, language="cpp", source="int main() {}")
    with pytest.raises(Refused, match="records"):
        delete_draft(problem, grace)
    Record.objects.filter(user=grace).delete()
    with pytest.raises(Refused, match="Contestants see"):
        delete_draft(contest.problems.get(label="A"), grace)
    delete_draft(problem, grace)
    assert not Package.objects.filter(problem__label="S").exists()
    assert [problem.label for problem in contest.problems.all()] == ["A"]
