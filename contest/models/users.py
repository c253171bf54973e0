"""People who sign in."""

from __future__ import annotations

from django.contrib.auth.models import AbstractUser
from django.db import models


class User(AbstractUser):
    """A contestant, juror, operator or admin; which of these, `contest.access` decides."""

    display_name = models.CharField(max_length=100, blank=True, help_text="Shown in standings instead of the name.")
    language = models.CharField(max_length=10, blank=True, help_text="Empty: as the browser asks.")
    time_zone = models.CharField(max_length=64, blank=True, help_text="IANA name; empty: as the browser says.")
    is_operator = models.BooleanField(default=False, help_text="May see and drain nodes and judges.")
    rights_version = models.PositiveIntegerField(
        default=0,
        help_text="Grows with every ban, password change and the like; old handoff tokens die with it.",
    )

    def __str__(self) -> str:
        return self.shown_name

    @property
    def shown_name(self) -> str:
        return self.display_name or self.username
