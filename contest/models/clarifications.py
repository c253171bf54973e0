"""Questions of contestants and the jury's answers."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from contest.models.contests import Contest
from contest.models.problems import Problem


class Clarification(models.Model):
    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="clarifications")
    problem = models.ForeignKey(Problem, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    asker = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="clarifications")
    text = models.TextField()
    asked_at = models.DateTimeField()
    command_key = models.CharField(
        max_length=120,
        null=True,
        blank=True,
        unique=True,
        help_text="client/stream/client_seq: a repeat creates nothing.",
    )
    answer = models.TextField(blank=True)
    is_public = models.BooleanField(default=False, help_text="The answer goes to everybody.")
    answered_at = models.DateTimeField(null=True, blank=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    version = models.PositiveIntegerField(default=1, help_text="Grows with every answer.")

    class Meta:
        ordering = ["-asked_at", "-id"]

    def __str__(self) -> str:
        return f"clarification {self.pk}"
