"""Contests and who takes part in them."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from contest.rules.feedback import Feedback as FeedbackRule


def common_answers() -> list[str]:
    """What a new contest's jury has at hand."""
    return ["Read the problem statement.", "No comment.", "Answered in a notice.", "Yes.", "No."]


class Contest(models.Model):
    """One contest. Its phase is computed (`contest.rules.phases`), never stored."""

    class Scoring(models.TextChoices):
        ICPC = "icpc", "ICPC (problems solved, penalty time)"
        IOI = "ioi", "IOI (points)"

    class Feedback(models.TextChoices):
        """What a contestant sees of a judged record while the contest runs."""

        FULL = FeedbackRule.FULL.value, "every case"
        FIRST_FAILED = FeedbackRule.FIRST_FAILED.value, "cases up to the first failed one"
        VERDICT = FeedbackRule.VERDICT.value, "the verdict only"
        NONE = FeedbackRule.NONE.value, "nothing until the end"

    class Visibility(models.TextChoices):
        PUBLIC = "public", "everybody may see that it exists and register"
        PRIVATE = "private", "only registered contestants and staff"

    slug = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=200)
    description = models.TextField(blank=True, help_text="Markdown.")
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    freeze_at = models.DateTimeField(
        null=True, blank=True, help_text="From here on standings stand still for contestants."
    )
    unfrozen_at = models.DateTimeField(null=True, blank=True, help_text="When staff showed the final standings.")
    archived_at = models.DateTimeField(null=True, blank=True)
    paused_at = models.DateTimeField(
        null=True, blank=True, help_text="Since then the contest's clock stands still; empty: it runs."
    )
    pauses = models.JSONField(
        default=list, blank=True, help_text="Those that are over, in order: [start, end) in milliseconds since 1970."
    )
    scoring = models.CharField(max_length=8, choices=Scoring.choices, default=Scoring.ICPC)
    feedback = models.CharField(max_length=16, choices=Feedback.choices, default=Feedback.FULL)
    visibility = models.CharField(max_length=8, choices=Visibility.choices, default=Visibility.PUBLIC)
    registration_open = models.BooleanField(default=True)
    records_open_after_end = models.BooleanField(
        default=True, help_text="After the end everybody who may see the contest may read all records."
    )
    penalty_minutes = models.PositiveSmallIntegerField(
        default=20, help_text="ICPC: for each rejected record, in minutes."
    )
    version = models.PositiveIntegerField(default=1, help_text="Grows with every change of schedule or state.")
    standings_version = models.PositiveIntegerField(default=0)
    answer_templates = models.JSONField(
        default=common_answers, blank=True, help_text="Sentences that the jury can put into an answer by a choice."
    )
    participants = models.ManyToManyField(
        settings.AUTH_USER_MODEL, through="Participation", related_name="contests", blank=True
    )
    jury = models.ManyToManyField(
        settings.AUTH_USER_MODEL, through="JuryMembership", related_name="jury_of", blank=True
    )

    class Meta:
        ordering = ["-starts_at", "slug"]
        constraints = [
            models.CheckConstraint(condition=Q(ends_at__gt=F("starts_at")), name="contest_ends_after_start"),
        ]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return f"/contests/{self.slug}/"


class Participation(models.Model):
    """One user's registration for one contest."""

    class State(models.TextChoices):
        REGISTERED = "registered", "registered"
        BANNED = "banned", "banned"

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="participations")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="participations")
    state = models.CharField(max_length=12, choices=State.choices, default=State.REGISTERED)
    registered_at = models.DateTimeField()
    extra_time_s = models.PositiveIntegerField(default=0, help_text="Added to the end for this contestant, in seconds.")
    site_time_s = models.PositiveIntegerField(
        default=0, help_text="As much of the extra time was given for what the site itself cost, in seconds."
    )
    version = models.PositiveIntegerField(default=1, help_text="Grows with every change of the extra time.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["contest", "user"], name="one_participation_a_user")]

    def __str__(self) -> str:
        return f"{self.user_id} in {self.contest_id}"


class JuryMembership(models.Model):
    """A juror of one contest: problems, clarifications, notices, rejudging."""

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["contest", "user"], name="one_jury_membership_a_user")]

    def __str__(self) -> str:
        return f"jury {self.user_id} of {self.contest_id}"
