"""What an import said, and how its sample submissions fare against what their authors expected."""

from __future__ import annotations

from dataclasses import dataclass

from contest.models import Contest, Package, Problem, Record
from contest.models.queue import Status


@dataclass(frozen=True)
class SampleVerdict:
    """One sample submission. `as_expected` is None until it is judged; a judge error is never as expected."""

    record_id: int
    file_name: str
    language: str
    expected: tuple[str, ...]
    status: str
    verdict: str
    as_expected: bool | None
    time_ms: int | None
    memory_kb: int | None
    cases_done: int
    cases_total: int
    message: str


@dataclass(frozen=True)
class PackageReport:
    """The sentences of the import, and the verdicts so far."""

    found: tuple[str, ...]
    ignored: tuple[str, ...]
    warnings: tuple[str, ...]
    samples: tuple[SampleVerdict, ...]

    @property
    def is_judged(self) -> bool:
        """Whether every sample submission has its verdict."""
        return all(sample.as_expected is not None for sample in self.samples)

    @property
    def unexpected(self) -> tuple[SampleVerdict, ...]:
        """Those whose verdict is not as expected."""
        return tuple(sample for sample in self.samples if sample.as_expected is False)


def package_report(package: Package) -> PackageReport:
    """The report on this version as it is now; ask again while its submissions are being judged."""
    records = package.records.filter(purpose=Record.Purpose.PACKAGE).defer("source", "compiler_output")
    texts = package.report
    return PackageReport(
        found=tuple(texts.get("found", ())),
        ignored=tuple(texts.get("ignored", ())),
        warnings=tuple(texts.get("warnings", ())),
        samples=tuple(_sample(record) for record in records.order_by("pk")),
    )


def current_version(contest: Contest, label: str) -> int:
    """The version with which problem `label` is judged; 0 if there is none. Of one who imports: nothing changed if it
    is the same afterwards."""
    found = Package.objects.filter(current_for__contest=contest, current_for__label=label)
    return found.values_list("version", flat=True).first() or 0


def package_versions(problem: Problem) -> list[Package]:
    """All versions of a problem's package, newest first, without their long texts."""
    versions = problem.packages.select_related("imported_by")
    return list(versions.defer("statements", "images", "validator_files", "report"))


def _sample(record: Record) -> SampleVerdict:
    is_final = record.status == Status.FINAL
    return SampleVerdict(
        record_id=record.pk,
        file_name=record.file_name,
        language=record.language,
        expected=tuple(record.expected_verdicts),
        status=record.status,
        verdict=record.verdict,
        as_expected=record.verdict in record.expected_verdicts if is_final else None,
        time_ms=record.time_ms,
        memory_kb=record.memory_kb,
        cases_done=record.cases_done,
        cases_total=record.cases_total,
        message=record.staff_message,
    )
