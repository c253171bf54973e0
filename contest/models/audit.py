"""What staff did to a contest and its people: who, when, what, and why."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from contest.models.contests import Contest


class AuditEntry(models.Model):
    """One action of staff, written in its transaction. Entries are never changed."""

    class Action(models.TextChoices):
        SCHEDULE = "schedule", "schedule"
        PAUSE = "pause", "pause"
        EXTRA_TIME = "extra-time", "extra time"
        PEOPLE = "people", "contestants"
        SETTINGS = "settings", "settings"
        REJUDGING = "rejudging", "rejudging"

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="audit")
    at = models.DateTimeField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    action = models.CharField(max_length=12, choices=Action.choices)
    words = models.CharField(max_length=300, help_text="What was done, as one sentence.")
    reason = models.CharField(max_length=300, blank=True, help_text="Why, in the words of who did it.")
    subject = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="The contestant whom it concerns.",
    )
    form_key = models.CharField(
        max_length=64, null=True, blank=True, unique=True, help_text="A form sent twice acts once."
    )

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.words
