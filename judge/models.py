"""Which judges there are: a line for each running `manage.py judge`, kept alive while it lives."""

from __future__ import annotations

from django.db import models


class JudgeNode(models.Model):
    """One judge process on one machine. Not heard of for a minute: gone."""

    name = models.CharField(max_length=120, unique=True)
    slots = models.PositiveSmallIntegerField()
    languages = models.JSONField(default=list, help_text='[{"id", "version"}] as installed there.')
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField(help_text="By the database's clock.")

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name
