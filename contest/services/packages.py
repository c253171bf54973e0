"""Importing a problem package: a new version of a problem, whole or not at all, and its sample submissions judged."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from contest.events import RecordSubmitted, publish
from contest.models import Contest, Package, PackageTest, Problem, Record, User
from contest.models.queue import QueueClass
from contest.packages.archive.caps import DEFAULT_CAPS, KIB, MIB, Caps
from contest.packages.archive.spool import Stored
from contest.packages.errors import PackageError
from contest.packages.model import ProblemPackage, Statement, Submission
from contest.packages.reading import open_package
from contest.services.blobs import store_blobs, store_bytes
from contest.services.checks import require_staff
from contest.services.errors import Refused

DEFAULT_MEMORY_MIB = 512
"""Where a package names no memory limit: enough for every language's runtime, little enough for a small judge."""
DEFAULT_OUTPUT_MIB = 16
_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,7}")


def import_package(
    source: Path | IO[bytes],
    contest: Contest,
    label: str,
    user: User | None,
    *,
    judge_samples: bool = True,
    caps: Caps = DEFAULT_CAPS,
) -> Package:
    """Import the folder or archive `source` as problem `label` of `contest`.

    1. The package is read and checked without touching the database; what is wrong with it is a `Refused` with
       one sentence, and nothing was stored.
    2. In one transaction: blobs, a new version with all its tests, the problem (a draft if it is new; an existing
       one keeps its state) pointing to it, and with `judge_samples` a record for each sample submission, which the
       judge then takes.

    Records that exist keep the version with which they were judged. A package whose files are those of the current
    version makes no new one; that version is the answer, and its samples are judged if they have not been yet.
    `user` None: the operator at the console.
    """
    if user is not None:
        require_staff(contest, user)
    label = label_in(contest, label)
    try:
        with open_package(source, caps) as described:
            _require_judgeable(described)
            with transaction.atomic():
                problem = _locked_problem(described, contest, label)
                package = _same_as_current(described, problem) or _store(described, problem, user)
                if judge_samples:
                    _submit_samples(described, package)
                return package
    except PackageError as error:
        raise Refused("bad-request", str(error)) from error


def label_in(contest: Contest, typed: str) -> str:
    """What `typed` means in `contest`: the label of the problem that is there, else in capitals. Raises Refused."""
    if not _LABEL.fullmatch(typed):
        raise Refused("bad-request", "A label is one to eight letters, digits, hyphens or underscores, like A or B2.")
    there = list(contest.problems.filter(label__iexact=typed).values_list("label", flat=True))
    return typed if typed in there else (there[0] if there else typed.upper())


def _require_judgeable(described: ProblemPackage) -> None:
    if described.interactive:
        raise Refused("bad-request", "The problem is interactive, which this site cannot judge yet.")


def _locked_problem(described: ProblemPackage, contest: Contest, label: str) -> Problem:
    """The problem, made if it is new. The row lock makes two imports at once into two versions, one after the other."""
    # Problems stand in the order of their labels; where the organisers gave positions, a new one goes last.
    last = contest.problems.aggregate(last=Max("position"))["last"] or 0
    new = {"title": described.name[:200], "position": last + 1 if last else 0}
    problem, _ = Problem.objects.get_or_create(contest=contest, label=label, defaults=new)
    return Problem.objects.select_for_update(of=("self",)).select_related("package").get(pk=problem.pk)


def _same_as_current(described: ProblemPackage, problem: Problem) -> Package | None:
    current = problem.package
    return current if current is not None and current.sha256 == described.sha256 else None


def _store(described: ProblemPackage, problem: Problem, user: User | None) -> Package:
    store_blobs(_blobs_of(described))
    package = _create_package(described, problem, user, timezone.now())
    _create_tests(described, package)
    problem.package, problem.title = package, described.name[:200]
    problem.save(update_fields=["package", "title"])
    return package


def _submit_samples(described: ProblemPackage, package: Package) -> None:
    """Once for a version: the demo's, for example, is stored without."""
    if package.records.filter(purpose=Record.Purpose.PACKAGE).exists():
        return
    cases_total = package.tests.count()
    for submission in described.submissions:
        _submit_sample(submission, package, cases_total)


def _blobs_of(described: ProblemPackage) -> Iterator[Stored]:
    for case in described.cases:
        yield from (case.input, case.answer)
    yield from described.images.values()
    if pdf := _pdf(described):
        yield pdf


def _pdf(described: ProblemPackage) -> Stored | None:
    """The PDF to offer: English, else the first there is."""
    with_pdf = sorted((text for text in described.statements if text.pdf), key=_english_first)
    return with_pdf[0].pdf if with_pdf else None


def _english_first(statement: Statement) -> tuple[bool, str]:
    return statement.language != "en", statement.language


def _create_package(described: ProblemPackage, problem: Problem, user: User | None, now: datetime) -> Package:
    last = problem.packages.aggregate(last=Max("version"))["last"] or 0
    limits, comparison, pdf = described.limits, described.comparison, _pdf(described)
    validator = comparison.validator
    return Package.objects.create(
        problem=problem,
        version=last + 1,
        source_format=described.source_format,
        sha256=described.sha256,
        imported_at=now,
        imported_by=user,
        statements={text.language: text.markdown for text in described.statements if text.markdown is not None},
        statement_pdf_id=pdf.sha256 if pdf else None,
        images={name: stored.sha256 for name, stored in described.images.items()},
        time_limit_ms=limits.time_ms,
        memory_limit_kb=(limits.memory_mib or DEFAULT_MEMORY_MIB) * MIB // KIB,
        output_limit_bytes=min(limits.output_mib or DEFAULT_OUTPUT_MIB, DEFAULT_OUTPUT_MIB) * MIB,
        comparison=Package.Comparison.VALIDATOR if validator else Package.Comparison.DEFAULT,
        comparison_flags=list(comparison.flags),
        validator_language=validator.language if validator else "",
        validator_files={file.name: store_bytes(file.contents) for file in validator.files} if validator else {},
        scoring=_scoring(described),
        report=_report(described),
    )


def _scoring(described: ProblemPackage) -> dict[str, Any]:
    if not described.groups:
        return {}
    return {
        "groups": [
            {"name": group.name, "score": group.score, "mode": group.mode.value, "depends": list(group.depends)}
            for group in described.groups
        ]
    }


def _report(described: ProblemPackage) -> dict[str, list[str]]:
    """The reader's sentences, and what is read but not used by this site."""
    ignored = list(described.report.ignored)
    limits = described.limits
    if described.attachments:
        ignored.append(f"attachments/: {len(described.attachments)} files, which are not offered for download.")
    if any((limits.code_kib, limits.compilation_s, limits.compilation_mib, limits.validation_s, limits.validation_mib)):
        ignored.append("Limits for the source, the compiler and the validator: those of the site hold.")
    if limits.output_mib and limits.output_mib > DEFAULT_OUTPUT_MIB:
        ignored.append(f"The output limit of {limits.output_mib} MiB: the site allows {DEFAULT_OUTPUT_MIB} MiB.")
    return {
        "found": list(described.report.found),
        "ignored": ignored,
        "warnings": list(described.report.warnings),
    }


def _create_tests(described: ProblemPackage, package: Package) -> None:
    tests = (
        PackageTest(
            package=package,
            index=index,
            name=case.name,
            is_sample=case.is_sample,
            group=case.group,
            score=case.score,
            validator_flags=list(case.flags),
            input_id=case.input.sha256,
            answer_id=case.answer.sha256,
        )
        for index, case in enumerate(described.cases, start=1)
    )
    PackageTest.objects.bulk_create(tests, batch_size=500)


def _submit_sample(submission: Submission, package: Package, cases_total: int) -> None:
    """A record of nobody: it counts nowhere, is in no list, and waits behind what contestants submit."""
    source = submission.program.files[0].contents
    record = Record.objects.create(
        contest=package.problem.contest,
        problem=package.problem,
        purpose=Record.Purpose.PACKAGE,
        package=package,
        queue_class=QueueClass.BACKGROUND,
        language=submission.program.language,
        source=source.decode(),
        source_sha256=hashlib.sha256(source).hexdigest(),
        file_name=submission.path[:200],
        expected_verdicts=list(submission.verdicts),
        cases_total=cases_total,
        submitted_at=package.imported_at,
        queued_at=package.imported_at,
    )
    publish(RecordSubmitted(record))
