"""`manage.py import_problem PATH`: import a problem package and show how its sample submissions are judged."""

from __future__ import annotations

import string
import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config.borrowed_judge import BorrowedJudge, CannotJudge
from contest.models import Contest, Package
from contest.selectors.packages import PackageReport, SampleVerdict, current_version, package_report
from contest.services.errors import Refused
from contest.services.packages import import_package, label_in

LOOK_EVERY_S = 0.5


class Command(BaseCommand):
    help = "Import a problem package (folder, zip or tar.gz) as a draft, and judge its sample submissions."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path, help="the package")
        parser.add_argument("--contest", metavar="SLUG", help="may be left out if there is only one contest")
        parser.add_argument("--label", metavar="L", help="A, B, C …; the next free letter if it is left out")
        parser.add_argument("--no-wait", action="store_true", help="do not wait for the verdicts")

    def handle(self, *args: Any, **options: Any) -> None:
        """Raises CommandError (exit status 1) if the package is refused or a verdict is not as expected."""
        path: Path = options["path"]
        if not path.exists():
            raise CommandError(f"There is no {path}.")
        contest = _contest(options["contest"])
        try:
            label = label_in(contest, options["label"] or _free_label(contest))
            before = current_version(contest, label)
            package = import_package(path, contest, label, None)
        except Refused as refused:
            raise CommandError(refused.message) from refused
        if package.version == before:
            self.stdout.write(f"This is the package of version {before} of problem {label}: no new version is made.")
        self._describe(package)
        if not options["no_wait"]:
            self._judge(package)

    def _describe(self, package: Package) -> None:
        problem, report = package.problem, package_report(package)
        state = "a draft" if problem.is_draft else "open to contestants"
        title = f"{problem.label}. {problem.title}"
        self.stdout.write(f"{title}: version {package.version} in {problem.contest.slug}, {state}.")
        for kind, sentences in (("found", report.found), ("ignored", report.ignored), ("WARNING", report.warnings)):
            for sentence in sentences:
                self.stdout.write(f"  {kind:8} {sentence}")

    def _judge(self, package: Package) -> None:
        """Shows each verdict as it comes. Without any running judge, judges by itself."""
        shown: set[int] = set()
        with BorrowedJudge() as judge:
            while True:
                report = package_report(package)
                self._show_new(report, shown)
                if report.is_judged:
                    break
                self._ensure(judge)
                time.sleep(LOOK_EVERY_S)
        if report.unexpected:
            raise CommandError(f"{len(report.unexpected)} of {len(report.samples)} verdicts are not as expected.")
        self.stdout.write(f"All {len(report.samples)} verdicts are as expected.")

    def _ensure(self, judge: BorrowedJudge) -> None:
        try:
            judge.ensure()
        except CannotJudge as error:
            raise CommandError(
                "The package is imported, but there is no judge for its sample submissions. They stay in the queue."
            ) from error

    def _show_new(self, report: PackageReport, shown: set[int]) -> None:
        for sample in report.samples:
            if sample.as_expected is not None and sample.record_id not in shown:
                shown.add(sample.record_id)
                self.stdout.write(_line(sample))


def _line(sample: SampleVerdict) -> str:
    mark = "ok" if sample.as_expected else "UNEXPECTED"
    expected = "/".join(sample.expected)
    cost = f"{sample.time_ms or 0} ms, {(sample.memory_kb or 0) // 1024} MiB"
    line = f"  {mark:10} {sample.file_name} ({sample.language}): {sample.verdict}, expected {expected}; {cost}"
    return f"{line}. {sample.message}" if sample.message else line


def _contest(slug: str | None) -> Contest:
    if slug is not None:
        found = Contest.objects.filter(slug=slug).first()
        if found is None:
            raise CommandError(f"There is no contest {slug}.")
        return found
    contests = list(Contest.objects.all()[:20])
    if len(contests) != 1:
        known = ", ".join(contest.slug for contest in contests)
        raise CommandError(f"Name the contest by --contest, one of: {known}." if known else "There is no contest yet.")
    return contests[0]


def _free_label(contest: Contest) -> str:
    taken = set(contest.problems.values_list("label", flat=True))
    free = next((letter for letter in string.ascii_uppercase if letter not in taken), None)
    if free is None:
        raise CommandError("All letters are taken in this contest. Name the problem by --label.")
    return free
