"""Notices by the organisers, their versions, and what is known of their delivery."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from contest.models.contests import Contest, Participation
from contest.models.problems import Problem
from contest.models.users import User


class Notice(models.Model):
    class Audience(models.TextChoices):
        ALL = "all", "everybody in the contest"
        SOME = "some", "chosen contestants"

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="notices")
    audience = models.CharField(max_length=4, choices=Audience.choices, default=Audience.ALL)
    version = models.PositiveIntegerField(default=1, help_text="Current version; withdrawing raises it too.")
    posted_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    form_key = models.CharField(max_length=64, null=True, blank=True, unique=True)

    class Meta:
        ordering = ["-posted_at", "-id"]

    def __str__(self) -> str:
        return f"notice {self.pk} v{self.version}"

    def readers(self) -> models.QuerySet[User]:
        """Those whom it is for: the chosen ones, or everybody who is registered at the moment of asking."""
        if self.audience == self.Audience.SOME:
            return User.objects.filter(pk__in=self.recipients.values("user"))
        registered = Participation.objects.filter(contest=self.contest_id, state=Participation.State.REGISTERED)
        return User.objects.filter(pk__in=registered.values("user"))

    def last_text(self) -> NoticeVersion:
        """Its current version, or what it said last before it was withdrawn."""
        return self.versions.select_related("problem", "posted_by").order_by("-version")[0]


class NoticeVersion(models.Model):
    """What a notice said from `posted_at` on. An edit makes a new version and alerts again."""

    class Level(models.TextChoices):
        INFO = "info", "info"
        WARNING = "warning", "warning"
        CRITICAL = "critical", "critical"

    notice = models.ForeignKey(Notice, on_delete=models.CASCADE, related_name="versions")
    version = models.PositiveIntegerField()
    title = models.CharField(max_length=200)
    body = models.TextField(help_text="Markdown.")
    html = models.TextField(help_text="The body rendered and sanitised when it was posted.")
    level = models.CharField(max_length=8, choices=Level.choices, default=Level.INFO)
    requires_ack = models.BooleanField(default=False)
    problem = models.ForeignKey(Problem, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    posted_at = models.DateTimeField()
    posted_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ["-version"]
        constraints = [models.UniqueConstraint(fields=["notice", "version"], name="one_text_a_version")]

    def __str__(self) -> str:
        return f"{self.notice_id} v{self.version}: {self.title}"


class NoticeRecipient(models.Model):
    """One of the chosen contestants of a notice whose audience is SOME."""

    notice = models.ForeignKey(Notice, on_delete=models.CASCADE, related_name="recipients")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["notice", "user"], name="one_recipient_a_notice")]

    def __str__(self) -> str:
        return f"{self.notice_id} to {self.user_id}"


class NoticeReceipt(models.Model):
    """The delivery ledger: one contestant and one version. A time once set never changes."""

    notice = models.ForeignKey(Notice, on_delete=models.CASCADE, related_name="receipts")
    version = models.PositiveIntegerField()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notice_receipts")
    sent_at = models.DateTimeField(help_text="Written to a connection, or into a page.")
    delivered_at = models.DateTimeField(null=True, blank=True, help_text="Shown in a visible page.")
    confirmed_at = models.DateTimeField(null=True, blank=True, help_text="Confirmed as read.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["notice", "version", "user"], name="one_receipt_a_version"),
            models.CheckConstraint(
                condition=Q(confirmed_at__isnull=True) | Q(delivered_at__isnull=False),
                name="confirmed_implies_delivered",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.notice_id} v{self.version} for {self.user_id}"


class NoticeReposting(models.Model):
    """The jury had a version raised again for those who had not seen it: who did it, when, for how many."""

    notice = models.ForeignKey(Notice, on_delete=models.CASCADE, related_name="repostings")
    version = models.PositiveIntegerField()
    posted_at = models.DateTimeField()
    posted_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    people = models.PositiveIntegerField(help_text="For how many it was raised.")

    class Meta:
        ordering = ["-posted_at", "-id"]

    def __str__(self) -> str:
        return f"{self.notice_id} v{self.version} again to {self.people}"
