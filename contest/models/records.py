"""Records: submissions with their judging. This table is the judge's queue; there is no second truth."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from contest.models.contests import Contest, Participation
from contest.models.problems import Package, Problem
from contest.models.queue import QueueItem, Status, Verdict


class Rejudging(models.Model):
    """Staff had one final record, or all of a problem, judged again. How far it is, the records say."""

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="rejudgings")
    problem = models.ForeignKey(Problem, on_delete=models.CASCADE, related_name="rejudgings")
    is_whole_problem = models.BooleanField(help_text="All final records of the problem, or a single one.")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField()
    total = models.PositiveIntegerField(default=0, help_text="How many records were reopened.")

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"rejudging {self.pk} of {self.total}"


class Record(QueueItem):
    class Purpose(models.TextChoices):
        CONTEST = "contest", "submitted by a contestant"
        STAFF = "staff", "submitted by staff, out of competition"
        PACKAGE = "package", "sample submission of an imported package"

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="records")
    problem = models.ForeignKey(Problem, on_delete=models.CASCADE, related_name="records")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="records")
    participation = models.ForeignKey(
        Participation, on_delete=models.CASCADE, null=True, blank=True, related_name="records"
    )
    purpose = models.CharField(max_length=8, choices=Purpose.choices, default=Purpose.CONTEST)
    package = models.ForeignKey(
        Package, on_delete=models.PROTECT, related_name="records", help_text="The version it is judged with."
    )
    language = models.CharField(max_length=16)
    source = models.TextField()
    source_sha256 = models.CharField(max_length=64)
    file_name = models.CharField(max_length=200, blank=True, help_text="Package checks: the submission's file.")
    expected_verdicts = models.JSONField(default=list, blank=True, help_text="Package checks: what would be right.")
    submitted_at = models.DateTimeField()
    score = models.FloatField(null=True, blank=True, help_text="Points; ICPC: null.")
    group_scores = models.JSONField(
        default=dict,
        blank=True,
        help_text="Points by test group once final: standings take the best of each group over all records.",
    )
    cases_done = models.PositiveIntegerField(default=0)
    cases_total = models.PositiveIntegerField(default=0)
    judged_at = models.DateTimeField(null=True, blank=True)
    rejudging = models.ForeignKey(
        Rejudging, on_delete=models.SET_NULL, null=True, blank=True, related_name="records", help_text="The latest."
    )
    staff_message = models.TextField(blank=True, help_text="For staff: what a judge error was.")
    idempotency_key = models.CharField(max_length=100, null=True, blank=True)  # noqa: DJ001 — NULLs do not collide

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["user", "idempotency_key"], name="one_record_a_key"),
            models.CheckConstraint(
                condition=(Q(status=Status.FINAL) & ~Q(verdict="")) | (~Q(status=Status.FINAL) & Q(verdict="")),
                name="record_verdict_exactly_when_final",
            ),
        ]
        indexes = [
            models.Index(
                fields=["queue_class", "queued_at", "id"],
                condition=~Q(status=Status.FINAL),
                name="record_queue",
            ),
            models.Index(  # whose turn it is
                fields=["queue_class", "user", "queued_at", "id"],
                condition=~Q(status=Status.FINAL),
                name="record_turns",
            ),
            models.Index(fields=["contest", "user", "-id"], name="record_by_user"),
            models.Index(fields=["contest", "-id"], name="record_by_contest"),
            models.Index(fields=["contest", "verdict"], name="record_by_verdict"),  # judge errors are looked for often
        ]

    def __str__(self) -> str:
        return f"record {self.pk}"

    def get_absolute_url(self) -> str:
        return f"/records/{self.pk}/"


class RecordCase(models.Model):
    """The result of one test case in the record's current attempt."""

    record = models.ForeignKey(Record, on_delete=models.CASCADE, related_name="cases")
    attempt = models.PositiveIntegerField()
    index = models.PositiveIntegerField(help_text="As PackageTest.index.")
    verdict = models.CharField(max_length=4, choices=Verdict.choices)
    time_ms = models.PositiveIntegerField()
    memory_kb = models.PositiveIntegerField()
    score = models.FloatField(null=True, blank=True)
    message = models.TextField(blank=True, help_text="For the contestant; short.")

    class Meta:
        ordering = ["index"]
        constraints = [models.UniqueConstraint(fields=["record", "index"], name="one_case_an_index")]

    def __str__(self) -> str:
        return f"{self.record_id} #{self.index} {self.verdict}"
