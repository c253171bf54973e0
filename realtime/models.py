"""Rows of the delivery layer: the log with its heads, the timer's state, and what was announced once.

Nothing here is a second truth about the contest: the log repeats what rows of `contest` say, so
that it can be told again to whoever was away. Presence is known to nobody else: who is connected, and
with what success, each node reports of itself.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models

from contest.models import Contest, Participation


class LogEpoch(models.Model):
    """One row: the epoch that heads made from now on are given. See docs/decisions/0007-one-epoch-for-the-log.md."""

    epoch = models.CharField(max_length=32)

    def __str__(self) -> str:
        return self.epoch


class Topic(models.Model):
    """The head of one log with one audience: `seq` of its events runs from `floor` + 1 to `head` without holes."""

    key = models.CharField(max_length=64, unique=True, help_text="See realtime.log.topics.")
    epoch = models.CharField(max_length=32)
    head = models.PositiveBigIntegerField(default=0)
    floor = models.PositiveBigIntegerField(default=0, help_text="Events up to here were pruned.")
    change = models.BigIntegerField(
        db_index=True,
        help_text="Of the last append: transaction id on PostgreSQL, a counter in order of commit on SQLite.",
    )

    def __str__(self) -> str:
        return f"{self.key}@{self.head}"


class LogEvent(models.Model):
    """One event, exactly as it goes out."""

    pk = models.CompositePrimaryKey("topic_id", "seq")
    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, db_index=False, related_name="events")
    seq = models.PositiveBigIntegerField()
    name = models.CharField(max_length=40)
    data = models.TextField(help_text="JSON text.")
    object_key = models.CharField(max_length=40, blank=True, help_text="What it tells the state of; empty: nothing.")
    is_kept = models.BooleanField(default=True, help_text="False: a newer event of the same object replaces it.")
    appended_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.topic_id}/{self.seq} {self.name}"


class TimerAccount(models.Model):
    """Foreground time of one participation. Times are milliseconds since 1970 on the database's clock."""

    participation = models.OneToOneField(
        Participation, on_delete=models.CASCADE, primary_key=True, related_name="timer_account"
    )
    accumulated_ms = models.PositiveBigIntegerField(default=0)
    intervals = models.JSONField(default=list, help_text="Credited [start, end) of the last minutes, apart, in order.")
    closed_before_ms = models.BigIntegerField(default=0, help_text="Nothing before this is credited any more.")
    clock_steps = models.PositiveIntegerField(default=0, help_text="Of the database's clock, before the last report.")
    stretch = models.JSONField(null=True, help_text="[start, end, counted] of the newest stretch, still growing.")
    last_ms = models.BigIntegerField(null=True, help_text="When any page reported last; null: none yet.")
    last_foreground = models.BooleanField(default=False)
    last_node = models.CharField(max_length=120, blank=True)

    def __str__(self) -> str:
        return f"{self.participation_id}: {self.accumulated_ms} ms"


class TimerSession(models.Model):
    """The timer stream of one document: the last report, and whose it is. `session_epoch` is the fence."""

    client = models.CharField(max_length=64)
    participation = models.ForeignKey(Participation, on_delete=models.CASCADE, related_name="timer_sessions")
    session_epoch = models.PositiveBigIntegerField(default=1, help_text="Grows with every attach.")
    attached_ms = models.BigIntegerField(default=0, help_text="Of the last attach.")
    client_seq = models.BigIntegerField(default=-1)
    arrived_ms = models.BigIntegerField(null=True, help_text="Of the last report; null: none yet.")
    foreground = models.BooleanField(default=False)
    foreground_ms = models.BigIntegerField(default=0)
    clock_steps = models.PositiveIntegerField(default=0, help_text="Of the database's clock, before the last report.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["client", "participation"], name="one_timer_a_document"),
        ]

    def __str__(self) -> str:
        return f"timer {self.pk} epoch {self.session_epoch}"


class TimerClock(models.Model):
    """One row: how often the database's clock was seen to step. None: never."""

    steps = models.PositiveIntegerField()
    stepped_ms = models.BigIntegerField(help_text="When it was seen last, by the clock after the step.")
    step_ms = models.BigIntegerField(help_text="By how much; negative: back.")

    def __str__(self) -> str:
        return f"{self.steps} steps"


class TimerStretch(models.Model):
    """A stretch of counted time that has ended, with interruptions too short to be told one by one."""

    participation = models.ForeignKey(Participation, on_delete=models.CASCADE, related_name="timer_stretches")
    starts_ms = models.BigIntegerField()
    ends_ms = models.BigIntegerField()
    counted_ms = models.BigIntegerField(help_text="At most the length; the rest are the short interruptions.")

    class Meta:
        indexes = [models.Index(fields=["participation", "starts_ms"], name="stretches_of_a_participation")]

    def __str__(self) -> str:
        return f"{self.participation_id}: {self.counted_ms} ms from {self.starts_ms}"


class TimerAbsence(models.Model):
    """Why time was not counted, as the page that came back knows it; what is a gap is computed from stretches."""

    participation = models.ForeignKey(Participation, on_delete=models.CASCADE, related_name="timer_absences")
    starts_ms = models.BigIntegerField()
    ends_ms = models.BigIntegerField()
    why = models.CharField(max_length=12, help_text="See realtime.timer.absences.Why.")
    cause = models.CharField(max_length=20, blank=True, help_text="As the client said in its hello.")
    node = models.CharField(max_length=120, blank=True, help_text="Which node had heard of the contestant last.")

    class Meta:
        indexes = [models.Index(fields=["participation", "starts_ms"], name="absences_of_a_participation")]

    def __str__(self) -> str:
        return f"{self.participation_id}: {self.why} from {self.starts_ms}"


class NodeRun(models.Model):
    """One run of one node, kept alive while it lives. Times by the database's clock, in milliseconds."""

    node = models.CharField(max_length=120)
    started_ms = models.BigIntegerField()
    beat_ms = models.BigIntegerField(db_index=True, help_text="When it was last known to live.")
    stopped_ms = models.BigIntegerField(null=True, help_text="It ended as planned; null: it lives, or it died.")

    def __str__(self) -> str:
        return f"{self.node} from {self.started_ms}"


class Outage(models.Model):
    """A stretch of time in which the site could not do its work although nodes ran."""

    kind = models.CharField(max_length=12, help_text="See realtime.timer.outages.Kind.")
    node = models.CharField(max_length=120, blank=True, help_text="Whom it concerned; empty: all.")
    starts_ms = models.BigIntegerField()
    ends_ms = models.BigIntegerField(db_index=True)

    def __str__(self) -> str:
        return f"{self.kind} from {self.starts_ms}"


class ReachedBoundary(models.Model):
    """A start, freeze or end that has come: of several nodes the one that sets `is_announced` announces it. "own end":
    that of contestants with extra time."""

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=8, choices=[(kind, kind) for kind in ("start", "freeze", "end", "own end")])
    at = models.DateTimeField(help_text="A boundary that was moved is a new one.")
    is_announced = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["contest", "kind", "at"], name="boundary_is_reached_once")]

    def __str__(self) -> str:
        return f"{self.kind} of {self.contest_id}"


class AnnouncedStandings(models.Model):
    """The newest version of a contest's standings that pages were told about."""

    contest = models.OneToOneField(
        Contest, on_delete=models.CASCADE, primary_key=True, related_name="announcedstandings"
    )
    version = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return f"standings {self.version} of {self.contest_id}"


class Presence(models.Model):
    """A person who follows a contest's announcements over one node. It counts only while the node's run lives."""

    run = models.ForeignKey(NodeRun, on_delete=models.CASCADE, related_name="presences")
    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    since = models.DateTimeField()
    behind_since = models.DateTimeField(
        null=True,
        help_text="Since then none of this person's connections has taken in all that there is; null: one has.",
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "contest", "user"], name="one_presence_a_run")]
        indexes = [models.Index(fields=["contest", "user"], name="presence_of")]

    def __str__(self) -> str:
        return f"{self.user_id} in {self.contest_id} on {self.run_id}"


class LastSeen(models.Model):
    """When the last connection of a person who was there has gone."""

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["contest", "user"], name="one_last_seen")]

    def __str__(self) -> str:
        return f"{self.user_id} in {self.contest_id} until {self.at}"


class JuryTurn(models.Model):
    """When staff of a contest were last told of something that is told at most once a second, by any node."""

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=40)
    told_at = models.DateTimeField(help_text="By the database's clock.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["contest", "name"], name="one_turn_an_event")]

    def __str__(self) -> str:
        return f"{self.name} in {self.contest_id} at {self.told_at}"
