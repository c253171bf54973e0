"""What staff of a contest were told about trouble with judging."""

from __future__ import annotations

from django.db import models

from contest.models.contests import Contest


class JudgeAlarms(models.Model):
    """The alarms of one contest as they were told last. No row: there was never one."""

    contest = models.OneToOneField(Contest, on_delete=models.CASCADE, primary_key=True, related_name="judge_alarms")
    version = models.PositiveIntegerField(default=0, help_text="Grows with every change; who raises it tells.")
    changed_at = models.DateTimeField(help_text="By the database's clock.")
    alarms = models.JSONField(
        default=list, help_text='[{"kind", "message", "since"}], worst first; empty: all is well.'
    )

    def __str__(self) -> str:
        return f"alarms {self.version} of {self.contest_id}"
