"""Self-test runs: one's own code on one's own input, outside scoring."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from contest.models.contests import Contest
from contest.models.queue import QueueItem, Status


class SelfTestRun(QueueItem):
    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="selftests")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="selftests")
    command_key = models.CharField(
        max_length=120,
        unique=True,
        help_text="client/stream/client_seq of the command: a repeat creates nothing.",
    )
    language = models.CharField(max_length=16)
    source = models.TextField()
    stdin = models.TextField(blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    told_position = models.PositiveIntegerField(
        default=0, help_text="Its place in the queue as the contestant was told last; 0: not told."
    )
    cancel_requested = models.BooleanField(default=False)
    exit_status = models.IntegerField(null=True, blank=True, help_text="Negative: the signal that ended it.")
    cut = models.JSONField(default=list, blank=True, help_text='What was cut, of "stdout", "stderr".')

    class Meta:
        ordering = ["-id"]
        constraints = [
            # One at a time for a contestant: the store decides, not the code before it.
            models.UniqueConstraint(
                fields=["contest", "user"], condition=~Q(status=Status.FINAL), name="one_selftest_at_a_time"
            ),
        ]
        indexes = [
            models.Index(
                fields=["queue_class", "queued_at", "id"],
                condition=~Q(status=Status.FINAL),
                name="selftest_queue",
            )
        ]

    def __str__(self) -> str:
        return f"self-test {self.pk}"


class SelfTestOutput(models.Model):
    """One chunk of output, at most 16 KiB; `offset` counts UTF-8 bytes of its stream before it."""

    run = models.ForeignKey(SelfTestRun, on_delete=models.CASCADE, related_name="output")
    attempt = models.PositiveIntegerField()
    stream = models.CharField(max_length=6, choices=[("stdout", "stdout"), ("stderr", "stderr")])
    offset = models.PositiveIntegerField()
    text = models.TextField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["run", "attempt", "stream", "offset"], name="one_chunk_an_offset")
        ]

    def __str__(self) -> str:
        return f"{self.run_id} {self.stream}@{self.offset}"
