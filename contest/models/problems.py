"""Problems and the versions of the packages they come from.

Test data lives in the database, by content hash, so that a judge on any machine that reaches the
database can work without a shared disk; judges keep a bounded cache of blobs.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models

from contest.models.contests import Contest


class Blob(models.Model):
    """Immutable bytes named by their SHA-256 (hex)."""

    sha256 = models.CharField(max_length=64, primary_key=True)
    size_bytes = models.PositiveIntegerField()
    data = models.BinaryField()

    def __str__(self) -> str:
        return self.sha256


class Problem(models.Model):
    """A problem of one contest; what is judged is its current package."""

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="problems")
    label = models.CharField(max_length=8, help_text="A, B, C … as shown.")
    title = models.CharField(max_length=200)
    position = models.PositiveSmallIntegerField(default=0)
    is_draft = models.BooleanField(default=True, help_text="Drafts are seen by staff only.")
    color = models.CharField(max_length=7, blank=True, help_text="Balloon colour, #rrggbb.")
    package = models.ForeignKey(
        "contest.Package", on_delete=models.PROTECT, null=True, blank=True, related_name="current_for"
    )

    class Meta:
        ordering = ["position", "label"]
        constraints = [models.UniqueConstraint(fields=["contest", "label"], name="one_problem_a_label")]

    def __str__(self) -> str:
        return f"{self.label}. {self.title}"

    def get_absolute_url(self) -> str:
        return f"/contests/{self.contest.slug}/problems/{self.label}/"


class Package(models.Model):
    """One imported version of a problem's package: the whole truth about its judging."""

    class Comparison(models.TextChoices):
        DEFAULT = "default", "default comparison by tokens"
        VALIDATOR = "validator", "output validator of the package (42/43)"

    problem = models.ForeignKey(Problem, on_delete=models.CASCADE, related_name="packages")
    version = models.PositiveIntegerField()
    source_format = models.CharField(max_length=32)
    sha256 = models.CharField(max_length=64, help_text="Of the package's files, for staff to compare.")
    imported_at = models.DateTimeField()
    imported_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    statements = models.JSONField(default=dict, help_text="Language tag → Markdown.")
    statement_pdf = models.ForeignKey(Blob, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    images = models.JSONField(default=dict, help_text="File name in a statement → blob.")
    time_limit_ms = models.PositiveIntegerField()
    memory_limit_kb = models.PositiveIntegerField()
    output_limit_bytes = models.PositiveIntegerField(default=16 * 1024 * 1024)
    comparison = models.CharField(max_length=12, choices=Comparison.choices, default=Comparison.DEFAULT)
    comparison_flags = models.JSONField(
        default=list, help_text="Arguments for the default comparison or the validator."
    )
    validator_language = models.CharField(max_length=16, blank=True)
    validator_files = models.JSONField(default=dict, help_text="File name → blob.")
    scoring = models.JSONField(
        default=dict,
        help_text='Empty: all cases must pass. Else {"groups": [{"name", "score", "mode": "min|sum", "depends": []}]}.',
    )
    report = models.JSONField(default=dict, help_text='{"found": [], "ignored": [], "warnings": []} in sentences.')

    class Meta:
        ordering = ["-version"]
        constraints = [models.UniqueConstraint(fields=["problem", "version"], name="one_package_a_version")]

    def __str__(self) -> str:
        return f"{self.problem_id} v{self.version}"


class PackageTest(models.Model):
    """One test case of a package, in judging order."""

    package = models.ForeignKey(Package, on_delete=models.CASCADE, related_name="tests")
    index = models.PositiveIntegerField(help_text="1, 2, 3 … in judging order, samples first.")
    name = models.CharField(max_length=200)
    is_sample = models.BooleanField()
    group = models.CharField(max_length=100, blank=True, help_text="Name of its group in Package.scoring.")
    score = models.FloatField(default=0, help_text="Points of this case where its group sums.")
    validator_flags = models.JSONField(default=list, help_text="Added to the package's flags for this case.")
    input = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")
    answer = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["index"]
        constraints = [models.UniqueConstraint(fields=["package", "index"], name="one_test_an_index")]

    def __str__(self) -> str:
        return f"{self.package_id} #{self.index}"
